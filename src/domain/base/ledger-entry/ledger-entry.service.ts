/** The recorded changes of the caller's company, oldest first. */
export { ledgerNewRows, ledgerEntries } from './ledger-entry.repository.js';
