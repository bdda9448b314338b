import type { HttpProblem } from '../problem.js';
import { malformed } from '../request.js';

export const notUtf8 = (): HttpProblem => malformed('The body is not valid UTF-8.');

/** Fields of a form: a text, or a list for a name that was given as one. */
export type FormValues = ReadonlyMap<string, string | readonly string[]>;

/** `file_ids[]` and `file_ids[0]`. */
const LIST_NAME = /^([^[\]]+)\[\d*\]$/;

/**
 * Collects the fields of a form by name. A name that is repeated or ends in `[]` or `[0]` has a list, in the order of
 * the form: `file_ids[]=1&file_ids[]=2` and `file_ids=1&file_ids=2` are both `file_ids: ['1', '2']`.
 */
export class FormFields {
  readonly values = new Map<string, string | string[]>();

  add(sentName: string, value: string): void {
    const listName = LIST_NAME.exec(sentName)?.[1];
    const name = listName ?? sentName;
    const known = this.values.get(name);
    if (typeof known === 'object') known.push(value);
    else if (known !== undefined) this.values.set(name, [known, value]);
    else this.values.set(name, listName === undefined ? value : [value]);
  }
}

/** The fields of an URL-encoded form. Errors: 400 for a text that is not UTF-8. */
export function formFields(text: string): FormValues {
  const form = new FormFields();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    form.add(formText(name), formText(value.join('=')));
  }
  return form.values;
}

/** Decodes a name or value of a form. A percent sign without two hexadecimal digits is taken literally. */
function formText(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw notUtf8();
  }
}
