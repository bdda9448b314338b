import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

import { useTexts } from '../text';
import { Button, IconButton } from './button';
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

interface ConfirmProps extends Omit<DialogProps, 'size' | 'footer'> {
  /** Name of the button that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly isRunning: boolean;
  readonly isDangerous: boolean;
}

/** Asks before a change that cannot be undone, or of many records. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { action, onConfirm, isRunning, isDangerous, ...dialog } = props;
  const text = useTexts(words);
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onPress={dialog.onClose}>{text.cancel}</Button>
          <Button look={isDangerous ? 'danger' : 'primary'} isPending={isRunning} onPress={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  );
}

interface SecretDialogProps {
  /** Name of the secret: "Token". */
  readonly label: string;
  /** Null while none is shown. */
  readonly secret: string | null;
  readonly onClose: () => void;
}

/** Shows once what cannot be shown again, such as a new token. */
export function SecretDialog({ label, secret, onClose }: SecretDialogProps): ReactNode {
  const text = useTexts(words);
  return (
    <Dialog title={label} isOpen={secret !== null} onClose={onClose}>
      <div className="stack">
        <p>{text.shownOnce}</p>
        <Copyable label={label} value={secret ?? ''} />
      </div>
    </Dialog>
  );
}
