import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';

import { failureOf, numberErrorOf, type Failure } from '../api/errors';
import { useSentence } from '../api/mutation';
import { useLocale } from '../text';
import { Button } from './button';
import { Icon } from './icon';
import { pageTexts } from './words';

const useText = pageTexts({
  request: [(id: string) => `Request ${id}`, (id: string) => `Solicitação ${id}`],
});

/** Shown while the first response of a page comes, from a quarter of a second on. */
export function Loading(): ReactNode {
  return (
    <p className="state state-late" role="status">
      {useText().loading}
    </p>
  );
}

interface FailureNoteProps {
  readonly failure: Failure;
  readonly onRetry?: () => void;
}

/** A failed request, with its id in the log of the server. */
export function FailureNote({ failure, onRetry }: FailureNoteProps): ReactNode {
  const text = useText();
  return (
    <div className="note note-bad" role="alert">
      <Icon name="warning" />
      <p>
        {failure.message}
        {failure.requestId !== undefined && <small> {text.request(failure.requestId)}</small>}
      </p>
      {onRetry && <Button onPress={onRetry}>{text.tryAgain}</Button>}
    </div>
  );
}

/** The failed request of a page. */
export function PageFailure(props: {
  readonly error: CombinedError;
  readonly onRetry: () => void;
}): ReactNode {
  const { language } = useLocale();
  const say = useSentence();
  const ofNumber = numberErrorOf(props.error);
  const failure = ofNumber ? { message: say(ofNumber) } : failureOf(props.error, language, true);
  return <FailureNote failure={failure} onRetry={props.onRetry} />;
}

/** A list without records: what could be here, and what to do. */
export function Empty({ children, action }: EmptyProps): ReactNode {
  return (
    <>
      <p className="state">{children}</p>
      {action !== undefined && <p className="state">{action}</p>}
    </>
  );
}

interface EmptyProps {
  readonly children: ReactNode;
  /** The button that does it. */
  readonly action?: ReactNode;
}
