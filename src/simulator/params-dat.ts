/** An entry of `apps_list`, for example `1 - Sale,acme_sale.posxml,posxml,31C3`. */
export interface ListedApp {
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly crc: string;
}

export interface ListedFile {
  readonly name: string;
  readonly crc: string;
}

export interface Params {
  readonly parameters: ReadonlyMap<string, string>;
  readonly apps: readonly ListedApp[];
  readonly files: readonly ListedFile[];
}

/** A file that a terminal cannot read; the message says why. */
export class UnreadableParams extends Error {}

const CRC = /^[0-9A-F]{4}$/;
const TYPES: readonly string[] = ['posxml', 'ruby'];

/**
 * Reads `params.dat` as terminals do: lines of `key=value` that end with LF, the first `=` separates; a value in double
 * quotes loses them; `apps_list` and `files_list` are entries that end with `;`. Errors: `UnreadableParams`.
 */
export function readParams(bytes: Buffer): Params {
  const parameters = new Map<string, string>();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableParams('it is not UTF-8');
  }
  for (const [index, line] of text.replace(/\n$/, '').split('\n').entries()) {
    const at = line.indexOf('=');
    if (at < 1 || line.includes('\r')) {
      throw new UnreadableParams(`line ${index + 1} is not key=value: ${line.slice(0, 60)}`);
    }
    const key = line.slice(0, at);
    if (parameters.has(key)) throw new UnreadableParams(`it has the key ${key} twice`);
    parameters.set(key, unquoted(line.slice(at + 1)));
  }
  const apps = entriesOf(parameters, 'apps_list', 4).map(appOf);
  const files = entriesOf(parameters, 'files_list', 2).map(fileOf);
  return { parameters, apps, files };
}

function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}

function entriesOf(parameters: ReadonlyMap<string, string>, key: string, cells: number): string[][] {
  const list = parameters.get(key) ?? '';
  if (list === '') return [];
  if (!list.endsWith(';')) throw new UnreadableParams(`${key} does not end with ;`);
  return list
    .slice(0, -1)
    .split(';')
    .map((entry) => {
      const parts = entry.split(',');
      if (parts.length !== cells || parts.includes('')) {
        throw new UnreadableParams(`${key} has an entry without ${cells} values: ${entry.slice(0, 60)}`);
      }
      return parts;
    });
}

function appOf([label = '', name = '', type = '', crc = '']: readonly string[]): ListedApp {
  if (!TYPES.includes(type)) throw new UnreadableParams(`${name} has the type ${type.slice(0, 20)}`);
  return { label, ...fileOf([name, crc]), type };
}

function fileOf([name = '', crc = '']: readonly string[]): ListedFile {
  if (!CRC.test(crc)) throw new UnreadableParams(`${name} has the CRC ${crc.slice(0, 20)}`);
  if (!name.includes('_')) throw new UnreadableParams(`${name} has no company before its name`);
  return { name, crc };
}
