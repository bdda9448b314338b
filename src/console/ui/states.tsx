import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';

import { failureOf, type Failure } from '../api/errors';
import { useIsSlow } from '../api/query';
import { useLocale, useTexts } from '../text';
import { Button } from './button';
import { Icon } from './icon';
import { words } from './words';

/** Shown while the first response of a page comes, from a quarter of a second on. */
export function Loading(): ReactNode {
  const text = useTexts(words);
  return (
    <p className="state" role="status">
      {useIsSlow(true) && text.loading}
    </p>
  );
}

/** A failed request, with its id in the log of the server. */
export function FailureNote({
  failure,
  onRetry,
}: {
  readonly failure: Failure;
  readonly onRetry?: () => void;
}): ReactNode {
  const text = useTexts(words);
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
export function PageFailure({
  error,
  onRetry,
}: {
  readonly error: CombinedError;
  readonly onRetry: () => void;
}): ReactNode {
  const { language } = useLocale();
  return <FailureNote failure={failureOf(error, language)} onRetry={onRetry} />;
}

/** A list without records: what could be here, and what to do. */
export function Empty({
  children,
  action,
}: {
  readonly children: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className="state state-empty">
      <p>{children}</p>
      {action}
    </div>
  );
}
