import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

import { mutate, mutations, useMutation } from '../api';
import type { SignInMutation, SignInMutationVariables } from '../gql/graphql';
import { SendForm, type SendFormProps } from '../record/fields';
import { useTexts, WordsContext } from '../text';
import { FailureNote } from '../ui/states';
import { pageWords } from '../ui/words';
import { adoptPreferences, usePreferences } from './preferences';
import { hasPasskeySupport, PasskeyButton } from './sign-in-passkey';

const words = pageWords({
  choose: ['Choose a password', 'Escolha uma senha'],
  chooseHelp: ['At least 12 characters.', 'Pelo menos 12 caracteres.'],
  confirmed: ['This is your address now:', 'Este é o seu endereço agora:'],
  forgotten: ['Forgotten password', 'Esqueci a senha'],
  recoveryCode: ['Recovery code', 'Código de recuperação'],
  requested: [
    'If there is such an account, a link is on its way.',
    'Se houver essa conta, um link está a caminho.',
  ],
  send: ['Send me a link', 'Enviar um link'],
  title: ['Sign in', 'Entrar'],
  byPasskey: ['Sign in with a passkey', 'Entrar com chave de acesso'],
  passwordSet: ['The password is set. Sign in with it.', 'A senha foi definida. Entre com ela.'],
  second: [
    'Confirm that it is you, with a passkey or one of your recovery codes.',
    'Confirme que é você, com uma chave de acesso ou um dos seus códigos de recuperação.',
  ],
  usePasskey: ['Use a passkey', 'Usar chave de acesso'],
  linkUsed: [
    'This link was used before or is too old. Sign in with e-mail and password.',
    'Este link já foi usado ou expirou. Entre com e-mail e senha.',
  ],
  language: ['Português', 'English'],
});

/** Purpose and code of a link, in the address of the page. */
const LINK = /^#(sign-in|set-password|confirm-email)=(.+)$/;

interface SignedInProps {
  readonly onSignedIn: () => void;
}

/**
 * Asks for e-mail and password. A link with a code, as the demo prints one, signs in by itself; links from e-mails let
 * a person choose a password, or confirm an address.
 */
export default function SignIn({ onSignedIn }: SignedInProps): ReactNode {
  const text = useTexts(words);
  const { language } = usePreferences();
  const [[, kind, code = '']] = useState(() => LINK.exec(location.hash) ?? []);
  const [step, setStep] = useState<'title' | 'choose' | 'forgotten'>(
    kind === 'set-password' ? 'choose' : 'title',
  );
  const [note, setNote] = useState('');
  const signIn = useMutation(mutations.signInByLink);
  const confirm = useMutation(mutations.emailConfirm);
  const followLink = useEffectEvent(async (): Promise<void> => {
    // A code is used once: the address has it no more.
    if (!LINK.test(location.hash)) return;
    history.replaceState(null, '', location.pathname + location.search);
    if (kind === 'sign-in' && (await signIn.run({ code }))) onSignedIn();
    const confirmed = kind === 'confirm-email' && (await confirm.run({ code }));
    if (confirmed) setNote(`${text.confirmed} ${confirmed.email}`);
  });
  useEffect(() => void followLink(), []);
  const back = (said: string): void => {
    setNote(said);
    setStep('title');
  };
  return (
    <WordsContext value={text}>
      <main className="sign-in">
        <h1>{text[step]}</h1>
        {[...signIn.errors, ...confirm.errors].length > 0 && (
          <FailureNote failure={{ message: text.linkUsed }} />
        )}
        {note !== '' && <p role="status">{note}</p>}
        {step === 'choose' && (
          <SendForm
            root={null}
            fields={[{ name: 'password', autoComplete: 'new-password', help: text.chooseHelp }]}
            document={mutations.passwordSetByLink}
            args={{ code }}
            submit={text.title}
            onDone={({ viewer }) => (viewer ? onSignedIn() : back(text.passwordSet))}
          />
        )}
        {step === 'forgotten' && (
          <SendForm
            root={null}
            fields={[{ name: 'email', autoComplete: 'username' }]}
            document={mutations.passwordRequest}
            submit={text.send}
            done={text.requested}
            onDone={() => back(text.requested)}
            onCancel={() => setStep('title')}
          />
        )}
        {step === 'title' && (
          <>
            <Credentials onSignedIn={onSignedIn} />
            <button type="button" className="button button-quiet" onClick={() => setStep('forgotten')}>
              {text.forgotten}
            </button>
          </>
        )}
        <button
          type="button"
          className="button button-quiet"
          onClick={() => adoptPreferences({ language: language === 'pt' ? 'en' : 'pt' })}
        >
          {text.language}
        </button>
      </main>
    </WordsContext>
  );
}

/** E-mail and password, and then a second factor of people with passkeys; or a passkey alone. */
function Credentials({ onSignedIn }: SignedInProps): ReactNode {
  const text = useTexts(words);
  const [entered, setEntered] = useState<SignInMutationVariables | null>(null);
  const alone = useMutation(mutations.signInByPasskey);
  const form: Omit<SendFormProps<SignInMutation>, 'fields'> = {
    root: null,
    document: mutations.signIn,
    submit: text.title,
    done: '',
    onDone: ({ secondFactor }, values) =>
      secondFactor === null ? onSignedIn() : setEntered(values as SignInMutationVariables),
  };
  if (entered === null) {
    return (
      <>
        <SendForm
          {...form}
          fields={[{ name: 'email', autoComplete: 'username', autoFocus: true }, 'password']}
        />
        {alone.problem && <FailureNote failure={alone.problem} />}
        <PasskeyButton
          label={text.byPasskey}
          onPasskey={async (passkey) => (await alone.run({ passkey })) && onSignedIn()}
        />
      </>
    );
  }
  const recoveryCode = {
    name: 'secondFactor.recoveryCode',
    autoComplete: 'one-time-code',
    autoFocus: !hasPasskeySupport,
  };
  return (
    <SendForm key="second" {...form} help={text.second} fields={[recoveryCode]} args={entered}>
      {(_values, send) => (
        <PasskeyButton
          label={text.usePasskey}
          autoFocus
          options={async () => (await mutate(mutations.signIn, entered)).secondFactor}
          onPasskey={(passkey) => send({ secondFactor: { passkey } })}
        />
      )}
    </SendForm>
  );
}
