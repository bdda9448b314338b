/** The recorded changes of the caller's company, oldest first. */
export { ledgerArrivals, ledgerEntries } from './ledger-entry.repository.js';
