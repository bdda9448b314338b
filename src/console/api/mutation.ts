import { useCallback, useEffect, useState } from 'react';
import type { CombinedError } from 'urql';

import { useLabel, useLocale } from '../text';
import { noteChange } from './changes';
import { client, connection } from './client';
import { failureOf, numberErrorOf, type Failure } from './errors';
import type { Document } from './query';
import { sentenceOf, type UserError } from './rules';
import { upload, type Attachment } from './upload';

/** Result of a mutation: what it changed, and what the person can mend. */
export interface Payload {
  readonly userErrors: readonly UserError[];
}

export type PayloadOf<Data> = Exclude<Data[keyof Data], string | undefined>;

export interface MutationState<Variables, Result> {
  /** Resolves to the payload, or to null if the change was refused or failed. */
  readonly run: (variables: Variables, attachment?: Attachment) => Promise<Result | null>;
  readonly errors: readonly UserError[];
  readonly failure: Failure | null;
  /** The failure, or else the first error. */
  readonly problem: Failure | undefined;
  readonly isRunning: boolean;
  /** Share of the attachment that is sent, 0 to 1; null while none is sent. */
  readonly progress: number | null;
}

/** Sends one mutation outside of a form. Errors: `CombinedError`. */
export async function mutate<Data extends object, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<PayloadOf<Data>> {
  const { data, error } = await client.mutation<Data>(document.toString(), variables).toPromise();
  if (error || !data) throw error ?? new Error('no data');
  return payloadOf(data);
}

const payloadOf = <Data extends object>(data: Data): PayloadOf<Data> =>
  Object.values(data)[0] as PayloadOf<Data>;

/** Says errors in sentences of the page. `sent` has the values that were refused; `own` is the label of their field. */
export function useSentence() {
  const { language } = useLocale();
  const label = useLabel();
  return (error: Parameters<typeof sentenceOf>[0], sent?: unknown, own?: string): string =>
    sentenceOf(error, { language, label: (name) => own ?? label(name), sent });
}

/** The part of the argument that an error is of: `input.waves.0.percent`. */
function pathOf({ path, params }: UserError): readonly string[] {
  const { in: part } = { ...(params as { readonly in?: string } | null) };
  return part === undefined ? path : [...path, ...part.split('.')];
}

/** One mutation of a form or a button. All that is shown is loaded again after it, unless it `isDry`. */
export function useMutation<Data extends object, Variables extends object>(
  document: Document<Data, Variables>,
  isDry = false,
): MutationState<Variables, PayloadOf<Data>> {
  const { language } = useLocale();
  const say = useSentence();
  const [refused, setRefused] = useState<{ readonly errors: readonly UserError[]; readonly sent?: unknown }>({
    errors: [],
  });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [progress, setProgress] = useState<number | null>(null);
  const run = useCallback(
    async (variables: Variables, attachment?: Attachment): Promise<PayloadOf<Data> | null> => {
      setRefused({ errors: [] });
      setFailure(null);
      setRunning(true);
      try {
        const data: Data | null = attachment
          ? await upload(document, variables, attachment, setProgress)
          : null;
        const payload = data ? payloadOf(data) : await mutate(document, variables);
        const { userErrors } = payload as Payload;
        setRefused({ errors: userErrors, sent: variables });
        // The record on screen is older than that of the server.
        const isStale = userErrors.some(({ code }) => code === 'STALE');
        if (userErrors.length > 0 && !isStale) return null;
        if (!isDry) noteChange();
        return isStale ? null : payload;
      } catch (error) {
        const ofNumber = numberErrorOf(error as CombinedError);
        if (ofNumber) setRefused({ errors: [ofNumber], sent: variables });
        else setFailure(failureOf(error as CombinedError, language, isDry));
        return null;
      } finally {
        setRunning(false);
        setProgress(null);
      }
    },
    [document, isDry, language],
  );
  const errors = refused.errors.map((error) => {
    const sayAt = (own?: string): string => say(error, refused.sent, own);
    return { ...error, path: pathOf(error), message: sayAt(), sayAt };
  });
  return { run, errors, failure, problem: failure ?? errors[0], isRunning, progress };
}

/** A person who types pauses for this time. */
const PAUSE_MS = 400;

/**
 * The response of a mutation with `dryRun`, asked for once the person pauses, and again when the variables change; with
 * null for variables, nothing is asked; with another `attempt`, again. The payload is undefined until it is there, null if
 * the change would be refused.
 */
export function useDryRun<Data extends object, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
  attempt = 0,
) {
  const { run, errors, failure } = useMutation(document, true);
  const [payload, setPayload] = useState<PayloadOf<Data> | null>();
  const text = variables && JSON.stringify(variables);
  useEffect(() => {
    setPayload(undefined);
    if (text === null) return undefined;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const answer = await run(JSON.parse(text) as Variables);
      if (!isOver) setPayload(() => answer);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    const endBack = connection.on('back', () => void ask());
    return () => {
      isOver = true;
      clearTimeout(timer);
      endBack();
    };
  }, [run, text, attempt]);
  return { payload, ...(payload === undefined ? { errors: [], failure: null } : { errors, failure }) };
}
