import { ENGLISH } from './sentences-english.js';
import { PORTUGUESE } from './sentences-portuguese.js';

type Language = 'en' | 'pt';

/** An error of the API that the person can mend: of an argument, or of the record as a whole. */
export interface UserError {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  /** Name of the rule that is broken, for a message in another language. */
  readonly rule?: string | null;
  readonly params?: unknown;
  /** The message with another label for the field. */
  readonly sayAt?: (label: string) => string;
}

/** The field of an error as the person sees it. */
interface Seen {
  readonly language: Language;
  /** Says a field in words by its name. */
  readonly label: (name: string) => string;
  /** The arguments that were sent; the value of the field is in them. */
  readonly sent?: unknown;
}

/** Said of values that have no label. */
const VALUE: Readonly<Record<Language, string>> = { en: 'This value', pt: 'Este valor' };
const MAX_VALUE = 60;

/** Values of the names in a sentence. */
type Filling = Readonly<Record<string, string | number | undefined>>;

/** The error as a sentence of the page: the label of the field, the value, and what to do. */
export function sentenceOf(error: Omit<UserError, 'path'> & Partial<UserError>, seen: Seen): string {
  const { code, message, rule = null, path = [] } = error;
  const params = (error.params ?? {}) as Readonly<Record<string, string | number>>;
  const { in: part } = params;
  // Details of `invalid` are in the message of the server alone.
  if (rule === 'invalid' && /^\p{Lu}/u.test(message) && seen.language === 'en') return message;
  const sentences = seen.language === 'en' ? ENGLISH : PORTUGUESE;
  const name = part === undefined ? path.join('.') : String(part);
  const field = name.replace(/(?:\.\d+)+$/, '');
  const known: Filling = {
    ...params,
    ...(params.field !== undefined && { field: seen.label(String(params.field)) }),
    ...(params.what !== undefined && seen.language === 'pt' && { what: inPortuguese(String(params.what)) }),
    label: path.length + name.length === 0 || field === 'id' ? undefined : seen.label(field),
    value: valueAt(seen.sent, [...path, ...(part === undefined ? [] : String(part).split('.'))]),
  };
  const plain = part === undefined ? message : message.slice(name.length + 1);
  const templates = [sentences[plain], sentences[rule ?? ''], sentences[code.toLowerCase()]]
    .flat()
    .filter((each) => each !== undefined);
  const isFilled = (given: Filling) => (template: string) =>
    namesIn(template).every((each) => given[each] !== undefined);
  const unnamed: Filling = { ...known, label: known.label ?? VALUE[seen.language] };
  const template = templates.find(isFilled(known)) ?? templates.find(isFilled(unnamed));
  return template?.replace(NAME, (_, each: string) => String(unnamed[each])) ?? message;
}

/** A text, number or list of texts that was sent; undefined for ids, which nobody knows, and for all else. */
function valueAt(sent: unknown, path: readonly string[]): string | undefined {
  if (/Ids?$|^id$/.test(path.at(-1) ?? '')) return undefined;
  const found = path.reduce((outer, name) => (outer as Record<string, unknown> | undefined)?.[name], sent);
  const value = Array.isArray(found) && typeof found[0] === 'string' ? found.join(', ') : found;
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return undefined;
  const text = String(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** Portuguese kinds of records, also before the name of one, as in `logical number 1001`. */
const KINDS: Readonly<Record<string, string>> = {
  app: 'aplicativo',
  'app version': 'versão de aplicativo',
  device: 'dispositivo',
  group: 'grupo',
  'logical number': 'número lógico',
  metacontent: 'metaconteúdo',
  parameter: 'parâmetro',
};

function inPortuguese(record: string): string {
  const kind = Object.keys(KINDS).find((each) => record === each || record.startsWith(`${each} `));
  return kind === undefined ? record : record.replace(kind, KINDS[kind] ?? kind);
}

const NAME = /\{(\w+)\}/g;

const namesIn = (template: string): readonly string[] =>
  Array.from(template.matchAll(NAME), ([, name = '']) => name);
