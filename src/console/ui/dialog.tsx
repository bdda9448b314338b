import { useState, type ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

import { useTexts } from '../text';
import { IconButton } from './button';
import { Copyable } from './facts';
import { words } from './words';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: 'small' | 'large';
  /** Buttons at the end. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** A window over the page. Escape closes it. */
export function Dialog({ title, isOpen, onClose, size = 'small', footer, children }: DialogProps): ReactNode {
  const text = useTexts(words);
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={`modal modal-${size}`}>
        <AriaDialog className="dialog">
          <header className="dialog-header">
            <Heading slot="title">{title}</Heading>
            <IconButton icon="close" label={text.close} onPress={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {footer !== undefined && <footer className="dialog-footer">{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/**
 * A window for what can be shown only once, such as a new token, and how to show it there. Secrets that are shown at the
 * same time stand in lines. `label` is the name of the secret: "Token".
 */
export function useSecret(label: string): readonly [ReactNode, (secret: string | null | undefined) => void] {
  const text = useTexts(words);
  const [secrets, setSecrets] = useState<readonly string[]>([]);
  const shown = (
    <Dialog title={label} isOpen={secrets.length > 0} onClose={() => setSecrets([])}>
      <div className="stack">
        <p>{text.shownOnce}</p>
        <Copyable label={label} value={secrets.join('\n')} />
      </div>
    </Dialog>
  );
  return [shown, (secret) => secret != null && setSecrets((before) => [...before, secret])];
}
