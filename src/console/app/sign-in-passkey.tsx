import { useState, type ReactNode } from 'react';

import { mutate, mutations } from '../api';
import { texts, useTexts } from '../text';
import { Button } from '../ui/button';
import { FailureNote } from '../ui/states';

const words = texts({
  cancelled: [
    'The browser used no passkey: it was cancelled, or there is none for this address.',
    'O navegador não usou nenhuma chave de acesso: foi cancelado ou não há uma para este endereço.',
  ],
});

/** Whether the browser has what passkeys need. Pages without TLS have nothing of it, but on the own machine. */
export const hasPasskeySupport: boolean =
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Makes a passkey, or uses one, as the options of the server say. Null if the person or the browser does not. */
export async function askBrowser(kind: 'create' | 'get', options: unknown): Promise<object | null> {
  const { credentials } = navigator;
  try {
    const credential = await (kind === 'create'
      ? credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
            options as PublicKeyCredentialCreationOptionsJSON,
          ),
        })
      : credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
            options as PublicKeyCredentialRequestOptionsJSON,
          ),
        }));
    return (credential as PublicKeyCredential | null)?.toJSON() as object | null;
  } catch {
    return null;
  }
}

/** Options for a passkey of the person who is signed in, or for a sign-in. */
const anyOptions = async (): Promise<unknown> => (await mutate(mutations.passkeyOptions, {})).options;

interface PasskeyButtonProps {
  readonly label: string;
  readonly autoFocus?: boolean;
  /** Options of the server; without it, those for any passkey. */
  readonly options?: () => Promise<unknown>;
  readonly onPasskey: (passkey: object) => Promise<unknown>;
}

/** A button that uses a passkey, in browsers that can. */
export function PasskeyButton(props: PasskeyButtonProps): ReactNode {
  const { label, autoFocus = false, options = anyOptions, onPasskey } = props;
  const text = useTexts(words);
  const [isRunning, setRunning] = useState(false);
  const [isCancelled, setCancelled] = useState(false);
  if (!hasPasskeySupport) return null;
  const use = async (): Promise<void> => {
    setRunning(true);
    const passkey = await askBrowser('get', await options().catch(() => null));
    setCancelled(passkey === null);
    if (passkey !== null) await onPasskey(passkey);
    setRunning(false);
  };
  return (
    <>
      {isCancelled && <FailureNote failure={{ message: text.cancelled }} />}
      <Button icon="key" autoFocus={autoFocus} isPending={isRunning} onPress={() => void use()}>
        {label}
      </Button>
    </>
  );
}
