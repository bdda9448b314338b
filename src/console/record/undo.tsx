import { notify } from '../ui/toasts';

/** A record as mutations select it for a note: `history(first: 1) { nodes { sequence } }`. */
export interface Changed {
  readonly history: { readonly nodes: readonly { readonly sequence: number }[] };
}

/** Says for some seconds that a record was changed. */
export const useChangeNote = (): ((text: string, record?: Changed | null) => void) => (text) =>
  notify({ text });
