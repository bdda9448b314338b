import { useState, type ReactNode } from 'react';
import { CombinedError } from 'urql';

import { mutate, mutations } from '../api';
import { type Failure, failureOf } from '../api/errors';
import { useSentence } from '../api/mutation';
import type { UserError } from '../api/rules';
import { texts, useLocale, useTexts } from '../text';
import { Button } from '../ui/button';
import { FailureNote } from '../ui/states';

const words = texts({
  cancelled: [
    {
      create: 'The browser made no passkey: it was cancelled, or took too long.',
      get: 'The browser used no passkey: it was cancelled, or there is none for this address.',
    },
    {
      create: 'O navegador não criou a chave de acesso: foi cancelado ou demorou demais.',
      get: 'O navegador não usou nenhuma chave de acesso: foi cancelado ou não há uma para este endereço.',
    },
  ],
  present: [
    'This device or security key has a passkey of yours already. Use another one to add a passkey.',
    'Este dispositivo ou chave de segurança já tem uma chave de acesso sua. Use outro para adicionar uma.',
  ],
  otherSite: [
    'Passkeys of this server do not work at this address. Open the console at its usual address.',
    'As chaves de acesso deste servidor não funcionam neste endereço. Abra o console no endereço de costume.',
  ],
  failed: [
    (name: string) => `The browser could not use a passkey: ${name}. Try again, or use another browser.`,
    (name: string) =>
      `O navegador não conseguiu usar uma chave de acesso: ${name}. Tente de novo ou use outro navegador.`,
  ],
});

/** True if the browser has what passkeys need. Pages without TLS have nothing of it, but on the own machine. */
export const hasPasskeySupport: boolean =
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Makes a passkey, or uses one, as the options of the server say. Errors: those of the browser's dialogue. */
async function askBrowser(kind: 'create' | 'get', options: unknown): Promise<object> {
  const { credentials } = navigator;
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
  return (credential as PublicKeyCredential).toJSON();
}

/** Options for the browser, as a payload of the server has them. */
interface Options {
  readonly options: unknown;
  readonly userErrors: readonly UserError[];
}

/** Errors of the browser that a person can do something about. It tells nobody apart who cancels and who has no passkey. */
const PROBLEMS: Readonly<Record<string, 'cancelled' | 'present' | 'otherSite'>> = {
  AbortError: 'cancelled',
  NotAllowedError: 'cancelled',
  InvalidStateError: 'present',
  SecurityError: 'otherSite',
};

/** Lets the browser make or use a passkey; `failure` says why it, or the server, did not. */
export function useBrowser(kind: 'create' | 'get') {
  const text = useTexts(words);
  const { language } = useLocale();
  const say = useSentence();
  const [failure, setFailure] = useState<Failure | null>(null);
  const ask = async (get: () => Promise<Options>): Promise<object | null> => {
    setFailure(null);
    try {
      const { options, userErrors } = await get();
      const [refused] = userErrors;
      if (!refused) return await askBrowser(kind, options);
      setFailure({ message: say(refused) });
    } catch (error) {
      const { name } = error as Error;
      const problem = PROBLEMS[name];
      const own = problem === 'cancelled' ? text.cancelled[kind] : problem && text[problem];
      setFailure(
        error instanceof CombinedError ? failureOf(error, language) : { message: own ?? text.failed(name) },
      );
    }
    return null;
  };
  return { ask, failure };
}

/** Options for a passkey of the person who is signed in, or for a sign-in. */
const anyOptions = (): Promise<Options> => mutate(mutations.passkeyOptions, {});

interface PasskeyButtonProps {
  readonly label: string;
  readonly autoFocus?: boolean;
  /** Options of the server; without it, those for any passkey. */
  readonly options?: () => Promise<Options>;
  readonly onPasskey: (passkey: object) => Promise<unknown>;
}

/** A button that uses a passkey, in browsers that can. */
export function PasskeyButton(props: PasskeyButtonProps): ReactNode {
  const { label, autoFocus = false, options = anyOptions, onPasskey } = props;
  const browser = useBrowser('get');
  const [isRunning, setRunning] = useState(false);
  if (!hasPasskeySupport) return null;
  const use = async (): Promise<void> => {
    setRunning(true);
    const passkey = await browser.ask(options);
    if (passkey !== null) await onPasskey(passkey);
    setRunning(false);
  };
  return (
    <>
      {browser.failure && <FailureNote failure={browser.failure} />}
      <Button icon="key" autoFocus={autoFocus} isPending={isRunning} onPress={() => void use()}>
        {label}
      </Button>
    </>
  );
}
