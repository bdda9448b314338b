/** A text, or a list for a name that was given as one. */
export type FormValue = string | readonly string[];

/** `file_ids[]` and `file_ids[0]`. */
const LIST_NAME = /^([^[\]]+)\[\d*\]$/;

/**
 * Collects the fields of a form by name. A name that is repeated or ends in `[]` or `[0]` has a list, in the order of
 * the form: `file_ids[]=1&file_ids[]=2` and `file_ids=1&file_ids=2` are both `file_ids: ['1', '2']`.
 */
export class FormFields {
  readonly #values = new Map<string, string | string[]>();

  add(sentName: string, value: string): void {
    const listName = LIST_NAME.exec(sentName)?.[1];
    const name = listName ?? sentName;
    const known = this.#values.get(name);
    if (typeof known === 'object') known.push(value);
    else if (known !== undefined) this.#values.set(name, [known, value]);
    else this.#values.set(name, listName === undefined ? value : [value]);
  }

  get values(): ReadonlyMap<string, FormValue> {
    return this.#values;
  }
}
