/**
 * Reads a settings file as terminals do: lines that end in LF, the key up to the first `=`; spaces around a key or value are
 * dropped, and then one pair of double quotes. Of several lines with one key, the first one counts. In the two lists, no
 * double quote counts. Errors: a line without `=`, a list whose entries have other fields.
 */
export function readParamsDat(text: string) {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('The last line does not end in LF');
  const values = new Map<string, string>();
  for (const line of lines) {
    const equals = line.indexOf('=');
    if (equals === -1) throw new Error(`A line has no "=": ${line}`);
    const [key, value] = [unquoted(line.slice(0, equals)), unquoted(line.slice(equals + 1))];
    if (!values.has(key)) values.set(key, value);
  }
  return {
    values,
    apps: entriesOf(values.get('apps_list'), 4).map(([label = '', name = '', type = '', crc = '']) => ({
      label,
      name,
      type,
      crc,
    })),
    files: entriesOf(values.get('files_list'), 2).map(([name = '', crc = '']) => ({ name, crc })),
  };
}

/** A name without the company, which is everything up to the first underscore. */
export const localName = (name: string): string => name.slice(name.indexOf('_') + 1);

function unquoted(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('"') && trimmed.endsWith('"') ? trimmed.slice(1, -1) : trimmed;
}

function entriesOf(list: string | undefined, fields: number): string[][] {
  if (list === undefined) throw new Error('A list is missing');
  const entries = list.replaceAll('"', '').split(';');
  if (entries.pop() !== '') throw new Error('The last entry does not end in ";"');
  return entries.map((entry) => {
    const parts = entry.split(',');
    if (parts.length !== fields) throw new Error(`An entry has ${parts.length} fields: ${entry}`);
    return parts;
  });
}
