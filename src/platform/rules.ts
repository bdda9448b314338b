/** Messages about a whole record, each with its rule. Parameters are in braces (decisions.md#error-tables). */
const RECORD_RULES = {
  'The e-mail address or the password is wrong.': 'wrong_credentials',
  'The link was used, is older than 10 minutes or is from another machine.': 'link_ended',
  'The link was used, was replaced by a later one, is older than 72 hours, or the account was changed since.':
    'link_ended',
  'The passkey or recovery code is wrong, was used before or is older than 5 minutes, or the account is locked.':
    'wrong_passkey',
  'A user has at most {maximum} passkeys: remove one first.': 'too_many_passkeys',
  '{email} is the last administrator of {company}: make another member an administrator first.':
    'last_administrator',
  '{email} was disabled by the operator of the server, who alone can undo it.': 'disabled_by_operator',
  'The ledger is kept from {at} on: retention has deleted earlier entries. Ask for a later time.':
    'retention',
  'Recovery codes stand in for a passkey: add one first.': 'no_passkey',
  'This server sends no e-mail: {advice}.': 'no_mail',
  '{email} is a member of other companies too: {advice}.': 'several_companies',
  'The {what} was changed: its revision is {revision}, not {expected}. Read it again.': 'stale',
  'The {what} was changed again, by entry {sequence} of the ledger.': 'stale',
  'The fleet was changed since the plan: plan again.': 'stale',
  'Its device is disabled.': 'obstacle',
  'It has sent no request for seven days.': 'obstacle',
  'The group of the logical number does not have the versions any more.': 'obstacle',
  'Its device has another logical number now.': 'obstacle',
  'Its device was deleted.': 'obstacle',
  'A person has left it out.': 'obstacle',
  'A rollout that is {state} cannot be changed in this way.': 'rollout_state',
  'At least {count} terminals would lose app versions. {advice}': 'in_use',
  'At least {count} terminal would lose app versions. {advice}': 'in_use',
  '{count} terminals would lose app versions. {advice}': 'in_use',
  '{count} terminal would lose app versions. {advice}': 'in_use',
  '{what} has {records}, and one request changes at most {maximum} of them: {advice}. Nothing was changed.':
    'too_many_records',
} as const;

/**
 * Messages about a field, each with its rule. They follow its name, "must not be empty", unless they begin with a
 * capital: those are whole sentences.
 */
const FIELD_RULES = {
  'is required': 'required',
  'is required; it may be null': 'required',
  'is required with range {range}': 'required',
  'is required once it has ended': 'required',
  'is required: {advice}': 'required',
  'must have a value: the variable ${variable} has none': 'required',
  'must not be empty': 'empty',
  'must not be empty: {advice}': 'empty',
  'must not be empty. {advice}': 'empty',
  'must not have empty entries': 'empty',
  'None of the {count} terminals can get these versions: dryRun says why.': 'no_takers',
  'There is no terminal in the target: choose logical numbers that have one.': 'no_takers',
  'There is no device in the target: choose others.': 'no_device',
  'must name at least one scope': 'empty',
  'must not be null. {advice}': 'null',
  'must be an uploaded file, not null': 'null',
  'must be an uploaded file, not null: {advice}': 'null',
  'must have at most {maximum} characters': 'too_long',
  'must have at most {maximum} characters with its suffix': 'too_long',
  'must have at least {minimum} characters': 'too_short',
  'must have at most {maximum} bytes': 'too_large',
  'must have at most {maximum} bytes as JSON text': 'too_large',
  'must have at most {maximum} entries': 'too_many_entries',
  'must have at most {maximum} values': 'too_many_entries',
  'The line has {count} values, but there are {maximum} headings.': 'too_many_cells',
  'must be nested at most {maximum} levels deep': 'too_deep',
  'must be at most {maximum}': 'too_great',
  'must have at most {maximum} percent together': 'too_great',
  'must be at least {minimum}': 'too_small',
  'must be at most {maximum} days': 'duration',
  'must be at most {hours} hours': 'duration',
  'must be at least {minimum} minutes': 'duration',
  'must be at most {maximum} days ahead': 'duration',
  'must not contain numbers beyond 1e308': 'too_great',
  'must not contain whole numbers beyond 2^53 - 1: send them as strings': 'too_great',
  'must not be beyond 2^53 - 1: send it as a string': 'too_great',
  'must be one of {values}': 'choice',
  'must be {values}: the wave that has begun last': 'choice',
  'must be a string': 'type',
  'must be a number': 'type',
  'must be a whole number': 'type',
  'must be a positive whole number': 'type',
  'must be true or false': 'type',
  'must be an array': 'type',
  'must be an object': 'type',
  'must be a JSON object': 'type',
  'is not JSON': 'type',
  'is not UTF-8 text': 'type',
  'cannot be read as a table: {reason}': 'unreadable',
  'must be a text, a number, or true or false': 'type',
  'must be comma-separated text or a list of texts': 'type',
  'must be a timestamp such as {example}': 'timestamp',
  'must be a date that exists, YYYY-MM-DD, or a timestamp such as {example}': 'timestamp',
  'must be a year from 1970 to 9999': 'year',
  'must be an IANA time zone, for instance {example}': 'time_zone',
  'must be a currency code of ISO 4217, for instance {example}': 'currency',
  'must be an e-mail address': 'email',
  'must be an address such as {example}, without user, password and #': 'web_address',
  'has an address that is not public, and not in WEBHOOK_NETWORKS': 'web_address',
  'has a public address: use https': 'web_address',
  'has a port of another service: use 443, or one from 1024 on': 'web_port',
  'must be types of events, for example {example}': 'event_type',
  'must be at least {minimum}: earlier entries are deleted by retention': 'sequence',
  'must be at most {maximum}, the next entry': 'sequence',
  'must be base64: standard alphabet, padded': 'base64',
  'must be digits': 'digits',
  'must be a word of capital letters, digits and _': 'action',
  'must be 4 hexadecimal digits': 'hexadecimal',
  'must be month and year, for instance {example}': 'month_and_year',
  'must not contain control or invisible characters': 'control_characters',
  'must not contain NUL or unpaired surrogates': 'control_characters',
  'must not contain NUL or broken characters': 'control_characters',
  'must not begin or end with a space': 'surrounding_space',
  'must not be "." or ".."': 'path_segment',
  'must not be the name of a folder': 'path_segment',
  'must not begin with a dash': 'leading_dash',
  'must not contain a comma': 'comma',
  'must not contain spaces, commas or semicolons': 'separator',
  'must not contain a pipe or a line break': 'pipe',
  'must not contain a pipe or a line break, unless it begins with an action, for example {example}': 'pipe',
  'must not have a card number in it: {advice}': 'card_number',
  'has unknown fields: {fields}': 'unknown_fields',
  'Line {line} has unknown headings: {fields}. Expected {columns}.': 'unknown_headings',
  'Line {line} lacks the heading {fields}.': 'missing_heading',
  'is not the id of {what}': 'unknown_record',
  'must be the id of {what}': 'unknown_record',
  'must be the id of a notification': 'unknown_record',
  'must hold ids of {what} only': 'unknown_record',
  'is not a version of this application': 'unknown_record',
  'are not all known: {values}': 'unknown_record',
  'There is no {what} "{name}". Create it first, or choose another one.': 'unknown_name',
  'is no {what} of the company': 'unknown_record',
  'must be active members with the right to read what is exported': 'no_reader',
  'has no version {values}': 'unknown_record',
  'is given twice': 'given_twice',
  'must be sent once: {advice}': 'given_twice',
  'must not be sent together with {field}': 'given_twice',
  'must be absent with range {range}': 'excluded',
  'must be absent with {action}': 'excluded',
  'is that of a notification: send one with notificationSend': 'excluded',
  'must be the one that was reported before: {state}': 'reported_before',
  'Only processing notifications can have an app.': 'excluded',
  'belongs to a success only': 'excluded',
  'must be null while it runs': 'excluded',
  'must be either {choices}': 'one_of',
  'give either {choices}': 'one_of',
  'must have exactly one of {choices}': 'one_of',
  'must be in the future': 'past',
  'is not the password of the user': 'wrong_password',
  'must not be after {field}': 'order',
  'must not be the hour at which it begins: 0 to 24 is the whole day': 'same_hour',
  "must be app versions linked to the number's group: not {values}": 'not_in_group',
  'must be app versions that are attached to the group: not {values}': 'not_in_group',
  'must be app versions that are attached to the group of each logical number. They are not for {count} of {total}, for example {example}. Attach them with groupAttachAppVersions':
    'not_in_group',
  'must have at most one version of each app: {values} are of one app': 'same_app',
  'must not hold the version itself': 'contains_itself',
  'must stay module: versions of this application are modules of others': 'module_in_use',
  'This now affects {count} {what}, not {expected}. Check the list and confirm again.': 'other_count',
  'foreign_logical_number: must be {number}, which the terminal has, one that it had before, or absent':
    'foreign_number',
  'is a saved filter of somebody who has left: save it anew under your name': 'owner_left',
  'does not fit the list: {reason}': 'unfit',
  'has expired: create a new token': 'expired',
  'expired at {at}: send the notification again': 'expired',
  'is revoked: create a new token': 'revoked',
  'was renewed already: renew the new token, or revoke it': 'renewed',
  'has no name: it was created by signing in': 'nameless',
  'cannot be reverted: {advice}': 'not_revertible',
  'has been decided already': 'decided',
  'must be scopes that you have: not {values}': 'scope',
  'is a member of other companies too: the lock ends by itself within a day, or by the operator of the server':
    'other_companies',
} as const;

/** Every rule by its message, for errors that the client can correct. */
export const RULES = { ...RECORD_RULES, ...FIELD_RULES };
export type RecordMessage = keyof typeof RECORD_RULES;
export type FieldMessage = keyof typeof FIELD_RULES;

/** Parameters that are numbers. */
type Figure =
  | 'hours'
  | 'line'
  | 'maximum'
  | 'minimum'
  | 'count'
  | 'total'
  | 'expected'
  | 'revision'
  | 'sequence';

type NamesIn<Message> = Message extends `${string}{${infer Name}}${infer After}`
  ? Name | NamesIn<After>
  : never;

/** The parameters that a message needs, as arguments: none if it has no braces. */
export type ParamsOf<Message> = [NamesIn<Message>] extends [never]
  ? [params?: undefined]
  : [params: { readonly [Name in NamesIn<Message>]: Name extends Figure ? number : string }];

/** A broken rule, before its sentence is written. zod takes it as the message of a check. */
export interface BrokenRule<Message extends string = FieldMessage> {
  readonly message: Message;
  readonly params?: Readonly<Record<string, string | number>> | undefined;
}

/** For example `rule('must have at most {maximum} bytes', { maximum: 64 })`. Only messages of the table compile. */
export function rule<Message extends keyof typeof RULES>(
  message: Message,
  ...[params]: ParamsOf<Message>
): BrokenRule<Message> {
  return { message, params };
}

/** A rule or another demand that is not met, as clients get it. */
export interface Problem {
  /** Null if the code of the error says all. */
  readonly rule: string | null;
  /** Values of the rule by name, for example `{ maximum: 64 }`, with `in` for a part of a field; null for none. */
  readonly params: Readonly<Record<string, string | number>> | null;
  readonly message: string;
}

export const withoutRule = (message: string): Problem => ({ rule: null, params: null, message });

const NAMES = /\{(\w+)\}/g;
const CODES: ReadonlyMap<string, string> = new Map(Object.entries(RULES));

/** Writes the sentence of a broken rule. `params` may have more than the message names; other messages have no rule. */
export function problemOf(broken: {
  readonly message: string;
  readonly params?: object | undefined;
}): Problem {
  const rule = CODES.get(broken.message);
  if (rule === undefined) return withoutRule(broken.message);
  const values = new Map<string, unknown>(Object.entries(broken.params ?? {}));
  const params: Record<string, string | number> = {};
  const message = broken.message.replace(NAMES, (_, name: string) => {
    const value = values.get(name);
    params[name] = typeof value === 'number' ? value : String(value);
    return String(value);
  });
  return { rule, params: broken.message.includes('{') ? params : null, message };
}

/** The problem of a part as one of the whole: `card.brand must have at most 255 characters`. */
export function problemOfPart(part: string, { rule, params, message }: Problem): Problem {
  const place = { in: params?.in === undefined ? part : `${part} ${params.in}` };
  return {
    rule,
    params: { ...place, ...params, ...place },
    message: /^\p{Lu}/u.test(message) ? message : `${part} ${message}`,
  };
}
