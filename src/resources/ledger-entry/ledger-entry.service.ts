/** What happened in the caller's company, oldest first; written by `ledger/` alone. */
export { ledgerArrivals, ledgerEntries } from './ledger-entry.repository.js';
