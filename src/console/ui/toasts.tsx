import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';

import { useTexts } from '../text';
import { Icon } from './icon';
import { words } from './words';

interface Message {
  readonly text: string;
  readonly tone?: 'good' | 'bad';
  /** Takes the change back. */
  readonly undo?: () => void;
  /** Opens the record that was made, or the job. */
  readonly open?: () => void;
  /** Shows the records that were changed. */
  readonly show?: () => void;
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });
const SHOWN_MS = 8_000;

/** Says for some seconds what has been done. */
export function notify(message: Message): void {
  queue.add(message, { timeout: SHOWN_MS });
}

export function Toasts(): ReactNode {
  const words_ = useTexts(words);
  return (
    <ToastRegion queue={queue} className="toasts">
      {({ toast }) => (
        <Toast toast={toast} className={`toast toast-${toast.content.tone ?? 'good'}`}>
          <ToastContent>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {(['undo', 'show', 'open'] as const).map((name) => {
            const act = toast.content[name];
            return (
              act && (
                <AriaButton
                  key={name}
                  className="button button-quiet"
                  onPress={() => {
                    act();
                    queue.close(toast.key);
                  }}
                >
                  {name === 'undo' && <Icon name="undo" />}
                  {words_[name]}
                </AriaButton>
              )
            );
          })}
          <AriaButton slot="close" className="button button-quiet button-icon" aria-label={words_.close}>
            <Icon name="close" />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  );
}
