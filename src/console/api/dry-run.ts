import { useEffect, useState } from 'react';

import { useMutation, type PayloadOf } from './mutation';
import type { Document } from './query';

const PAUSE_MS = 400;

/**
 * The response of a mutation with `dryRun`, asked for once the person pauses, and again when the variables change. Null
 * until it is there, and with null for variables.
 */
export function useDryRun<Data extends object, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
): PayloadOf<Data> | null {
  const { run } = useMutation(document);
  const [payload, setPayload] = useState<PayloadOf<Data> | null>(null);
  const text = variables && JSON.stringify(variables);
  useEffect(() => {
    setPayload(null);
    if (text === null) return undefined;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const answer = await run(JSON.parse(text) as Variables);
      if (!isOver) setPayload(() => answer);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [run, text]);
  return payload;
}
