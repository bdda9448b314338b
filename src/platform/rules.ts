/**
 * Rules that an `invalid` field can break, with their messages, which follow the name of the field: `invalid` compiles
 * only with one of these. Names in braces are parameters; those of `FIGURES` are numbers. The first fit counts.
 */
const FIELD_RULES = [
  ['required', 'is required'],
  ['required', 'is required; it may be null'],
  ['required', 'is required with range {range}'],
  ['required', 'is required once it has ended'],
  ['required', 'is required: {advice}'],
  ['required', 'must have a value: the variable ${variable} has none'],
  ['empty', 'must not be empty'],
  ['empty', 'must not be empty: {advice}'],
  ['empty', 'must not be empty. {advice}'],
  ['empty', 'must not have empty entries'],
  ['empty', 'must name at least one scope'],
  ['null', 'must not be null. {advice}'],
  ['null', 'must be an uploaded file, not null'],
  ['null', 'must be an uploaded file, not null: {advice}'],
  ['too_long', 'must have at most {maximum} characters'],
  ['too_long', 'must have at most {maximum} characters with its suffix'],
  ['too_short', 'must have at least {minimum} characters'],
  ['too_large', 'must have at most {maximum} bytes'],
  ['too_large', 'must have at most {maximum} bytes as JSON text'],
  ['too_many_entries', 'must have at most {maximum} entries'],
  ['too_many_entries', 'must have at most {maximum} values'],
  ['too_deep', 'must be nested at most {maximum} levels deep'],
  ['too_great', 'must be at most {maximum}'],
  ['too_great', 'must have at most {maximum} percent together'],
  ['too_small', 'must be at least {minimum}'],
  ['duration', 'must be at most {maximum} days'],
  ['duration', 'must be at least {minimum} minutes'],
  ['duration', 'must be at most {maximum} days ahead'],
  ['too_great', 'must not contain numbers beyond 1e308'],
  ['too_great', 'must not contain whole numbers beyond 2^53 - 1: send them as strings'],
  ['too_great', 'must not be beyond 2^53 - 1: send it as a string'],
  ['choice', 'must be one of {values}'],
  ['choice', 'must be {values}: the wave that has begun last'],
  ['type', 'must be a string'],
  ['type', 'must be a number'],
  ['type', 'must be a whole number'],
  ['type', 'must be a positive whole number'],
  ['type', 'must be true or false'],
  ['type', 'must be an array'],
  ['type', 'must be an object'],
  ['type', 'must be a JSON object'],
  ['type', 'must be a text, a number, or true or false'],
  ['type', 'must be comma-separated text or a list of texts'],
  ['timestamp', 'must be a timestamp such as {example}'],
  ['timestamp', 'must be a date that exists, YYYY-MM-DD, or a timestamp such as {example}'],
  ['year', 'must be a year from 1970 to 9999'],
  ['time_zone', 'must be an IANA time zone, for instance {example}'],
  ['email', 'must be an e-mail address'],
  ['web_address', 'must be an address such as {example}, without user, password and #'],
  ['web_address', 'has an address that is not public, and not in WEBHOOK_NETWORKS'],
  ['web_address', 'has a public address: use https'],
  ['web_port', 'has a port of another service: use 443, or one from 1024 on'],
  ['event_type', 'must be types of events, for example {example}'],
  ['sequence', 'must be at least {minimum}: earlier entries are deleted by retention'],
  ['sequence', 'must be at most {maximum}, the next entry'],
  ['base64', 'must be base64: standard alphabet, padded'],
  ['digits', 'must be digits'],
  ['hexadecimal', 'must be 4 hexadecimal digits'],
  ['month_and_year', 'must be month and year, for instance {example}'],
  ['control_characters', 'must not contain control or invisible characters'],
  ['control_characters', 'must not contain NUL or unpaired surrogates'],
  ['control_characters', 'must not contain NUL or broken characters'],
  ['surrounding_space', 'must not begin or end with a space'],
  ['path_segment', 'must not be "." or ".."'],
  ['path_segment', 'must not be the name of a folder'],
  ['leading_dash', 'must not begin with a dash'],
  ['comma', 'must not contain a comma'],
  ['pipe', 'must not contain a pipe or a line break, unless it begins with an action, for example {example}'],
  ['card_number', 'must not have a card number in it: {advice}'],
  ['unknown_fields', 'has unknown fields: {fields}'],
  ['unknown_record', 'is not the id of {what}'],
  ['unknown_record', 'must be the id of {what}'],
  ['unknown_record', 'must hold ids of {what} only'],
  ['unknown_record', 'is not a version of this application'],
  ['unknown_record', 'are not all known: {values}'],
  ['unknown_record', 'is no {what} of the company'],
  ['unknown_record', 'has no version {values}'],
  ['given_twice', 'is given twice'],
  ['given_twice', 'must be sent once: {advice}'],
  ['given_twice', 'must not be sent together with {field}'],
  ['excluded', 'must be absent with range {range}'],
  ['excluded', 'goes with kind processing only'],
  ['excluded', 'belongs to a success only'],
  ['excluded', 'must be null while it runs'],
  ['one_of', 'must be either {choices}'],
  ['one_of', 'give either {choices}'],
  ['one_of', 'must have exactly one of {choices}'],
  ['past', 'must be in the future'],
  ['wrong_password', 'is not the password of the user'],
  ['order', 'must not be after {field}'],
  ['same_hour', 'must not be the hour at which it begins: 0 to 24 is the whole day'],
  ['not_in_group', "must be app versions linked to the number's group: not {values}"],
  ['not_in_group', 'must be app versions that are attached to the group: not {values}'],
  [
    'not_in_group',
    'must be app versions that are attached to the group of each logical number. They are not for {count} of {total}, for example {example}. Attach them with groupAttachAppVersions',
  ],
  ['same_app', 'must have at most one version of each app: {values} are of one app'],
  ['contains_itself', 'must not hold the version itself'],
  ['module_in_use', 'must stay module: versions of this application are modules of others'],
  ['other_count', 'is {expected}, but the change affects {count} {what}. Nothing was changed'],
  [
    'foreign_number',
    'foreign_logical_number: must be {number}, which the terminal has, one that it had before, or absent',
  ],
  ['owner_left', 'is a saved filter of somebody who has left: save it anew under your name'],
  ['unfit', 'does not fit the list: {reason}'],
  ['expired', 'has expired: create a new token'],
  ['expired', 'expired at {at}: send the notification again'],
  ['revoked', 'is revoked: create a new token'],
  ['renewed', 'was renewed already: renew the new token, or revoke it'],
  ['nameless', 'has no name: it was created by signing in'],
  ['not_revertible', 'cannot be reverted: {advice}'],
  ['decided', 'has been decided already'],
  ['scope', 'must be scopes that you have: not {values}'],
  [
    'other_companies',
    'is a member of other companies too: the lock ends by itself within a day, or by the operator of the server',
  ],
] as const;

/** Rules about a record as a whole. */
const RECORD_RULES = [
  ['wrong_credentials', 'The e-mail address or the password is wrong.'],
  ['link_ended', 'The link was used, is older than 10 minutes or is from another machine.'],
  [
    'link_ended',
    'The link was used, was replaced by a later one, is older than 72 hours, or the account was changed since.',
  ],
  [
    'wrong_passkey',
    'The passkey or recovery code is wrong, was used before or is older than 5 minutes, or the account is locked.',
  ],
  ['too_many_passkeys', 'A user has at most {maximum} passkeys: remove one first.'],
  ['no_passkey', 'Recovery codes stand in for a passkey: add one first.'],
  ['no_mail', 'This server sends no e-mail: {advice}.'],
  ['several_companies', '{email} is a member of other companies too: {advice}.'],
  ['stale', 'The {what} was changed: its revision is {revision}, not {expected}. Read it again.'],
  ['stale', 'The {what} was changed again, by entry {sequence} of the ledger.'],
  ['stale', 'The fleet was changed since the plan: plan again.'],
  ['rollout_state', 'A rollout that is {state} cannot be changed in this way.'],
  ['in_use', 'At least {count} terminals would lose app versions. {advice}'],
  ['in_use', '{count} terminals would lose app versions. {advice}'],
  ['in_use', '{count} terminal would lose app versions. {advice}'],
  [
    'too_many_records',
    '{what} has {records}, and one request changes at most {maximum} of them: {advice}. Nothing was changed.',
  ],
] as const;

/** All rules with their messages, for errors that the client can correct. */
export const RULES = [...RECORD_RULES, ...FIELD_RULES];

/** Parameters that are numbers. */
const FIGURES = ['maximum', 'minimum', 'count', 'total', 'expected', 'revision', 'sequence'] as const;
type Figure = (typeof FIGURES)[number];

type Filled<Template> = Template extends `${infer Before}{${infer Name}}${infer After}`
  ? `${Before}${Name extends Figure ? number : string}${Filled<After>}`
  : Template;

/** A message of the table with its parameters filled in, for example `must have at most 64 characters`. */
export type RuleMessage = Filled<(typeof FIELD_RULES)[number][1]>;

export interface BrokenRule {
  readonly rule: string;
  /** Values of the message by name, for example `{ maximum: 64 }`, with `in` for a part of a field; null for none. */
  readonly params: Readonly<Record<string, string | number>> | null;
}

const isFigure = (name: string): boolean => (FIGURES as readonly string[]).includes(name);

/** Longer messages quote what a client sent: they get no rule, since the forms would take long to compare. */
const MAX_MESSAGE = 500;

/** Regular expressions of the messages; with `prefix`, a message names a part of the field first. */
const formsOf = (rules: typeof RULES | typeof FIELD_RULES, prefix: string) =>
  rules.map(([rule, template]) => {
    const literal = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
    const form = literal.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${valueOf(name)})`);
    return { rule, form: new RegExp(`^${prefix}${form}$`, 's') };
  });

const valueOf = (name: string): string => (isFigure(name) ? String.raw`-?\d+` : '.+');

/** The second half is compared last, since it looks through the whole message: `card.brand must have at most …`. */
const FORMS = [...formsOf(RULES, ''), ...formsOf(FIELD_RULES, '(?<in>.+?) ')];

/** The rule of a message; null for one that is not in the table, such as that of a taken name. */
export function ruleOf(message: string): BrokenRule | null {
  if (message.length > MAX_MESSAGE) return null;
  for (const { rule, form } of FORMS) {
    const found = form.exec(message);
    if (found === null) continue;
    const params: Record<string, string | number> = {};
    for (const [name, value] of Object.entries(found.groups ?? {})) {
      params[name] = isFigure(name) ? Number(value) : value;
    }
    return { rule, params: found.groups === undefined ? null : params };
  }
  return null;
}
