const CRC = /^[0-9A-F]{4}$/;
const TYPES: readonly string[] = ['posxml', 'ruby'];

/**
 * Why a terminal cannot read `params.dat`; null if it can. The file has lines of `key=value` that end with LF, of
 * which the first `=` separates; `apps_list` and `files_list` are entries that end with `;`.
 */
export function problemOfParams(bytes: Buffer): string | null {
  const values = new Map<string, string>();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'it is not UTF-8';
  }
  for (const [index, line] of text.replace(/\n$/, '').split('\n').entries()) {
    const at = line.indexOf('=');
    if (at < 1 || line.includes('\r')) return `line ${index + 1} is not key=value: ${line.slice(0, 60)}`;
    const key = line.slice(0, at);
    if (values.has(key)) return `it has the key ${key} twice`;
    values.set(key, line.slice(at + 1));
  }
  return (
    problemOfList('apps_list', values.get('apps_list')) ??
    problemOfList('files_list', values.get('files_list'))
  );
}

/** An entry is for example `1 - Sale,acme_sale.posxml,posxml,31C3;` or, in the list of files, `acme_b.dat,FFFF;`. */
function problemOfList(key: 'apps_list' | 'files_list', list = ''): string | null {
  if (list === '') return null;
  if (!list.endsWith(';')) return `${key} does not end with ;`;
  const count = key === 'apps_list' ? 4 : 2;
  for (const entry of list.slice(0, -1).split(';')) {
    const values = entry.split(',');
    if (values.length !== count || values.includes('')) {
      return `${key} has an entry without ${count} values: ${entry.slice(0, 60)}`;
    }
    const [name = '', type = 'posxml'] = key === 'apps_list' ? values.slice(1, 3) : values.slice(0, 1);
    const crc = values.at(-1) ?? '';
    if (!TYPES.includes(type)) return `${name} has the type ${type.slice(0, 20)}`;
    if (!CRC.test(crc)) return `${name} has the CRC ${crc.slice(0, 20)}`;
    if (!name.includes('_')) return `${name} has no company before its name`;
  }
  return null;
}
