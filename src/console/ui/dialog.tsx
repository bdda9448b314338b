import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

import { useTexts } from '../text';
import { IconButton } from './button';
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
