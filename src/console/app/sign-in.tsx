import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

import { mutate, mutations, useMutation } from '../api';
import type { SignInMutation, SignInMutationVariables } from '../gql/graphql';
import { SendForm, type SendFormProps } from '../record/fields';
import { useTexts, WordsContext } from '../text';
import { Button } from '../ui/button';
import { FailureNote } from '../ui/states';
import { pageWords, useNoMail } from '../ui/words';
import { LINK } from './code-link';
import { adoptPreferences, usePreferences } from './preferences';
import { hasPasskeySupport, PasskeyButton } from './sign-in-passkey';

const words = pageWords({
  askAdministrator: [
    'Ask an administrator of your company for a link.',
    'Peça um link a um administrador da sua empresa.',
  ],
  confirm: ['Confirm the e-mail address', 'Confirmar o endereço de e-mail'],
  choose: ['Choose a password', 'Escolha uma senha'],
  chooseHelp: ['At least 12 characters.', 'Pelo menos 12 caracteres.'],
  confirmed: ['This is your address now:', 'Este é o seu endereço agora:'],
  ended: [
    'Your session has ended. Sign in to go on with this page.',
    'Sua sessão terminou. Entre para continuar nesta página.',
  ],
  forgotten: ['Forgotten password', 'Esqueci a senha'],
  recoveryCode: ['Recovery code', 'Código de recuperação'],
  requested: [
    'If there is such an account, a link is on its way.',
    'Se houver essa conta, um link está a caminho.',
  ],
  signedIn: [
    (name: string) => `${name} is signed in here. The link is for the account that it was sent to.`,
    (name: string) => `${name} está com a sessão aberta aqui. O link vale para a conta à qual foi enviado.`,
  ],
  stay: [(name: string) => `Go on as ${name}`, (name: string) => `Continuar como ${name}`],
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

interface SignedInProps {
  readonly onSignedIn: () => void;
}

interface SignInProps extends SignedInProps {
  /** True if the page was open in a session that has ended by itself. */
  readonly hasEnded?: boolean;
  /** Who is signed in already, and what to do to go on so. */
  readonly present?: { readonly name: string; readonly stay: () => void };
}

/**
 * Asks for e-mail and password. A link with a code, as the demo prints one, signs in by itself; links from e-mails let
 * a person choose a password, or confirm an address. To load the page uses no code of an e-mail up.
 */
export default function SignIn({ hasEnded = false, present, onSignedIn }: SignInProps): ReactNode {
  const text = useTexts(words);
  const { language } = usePreferences();
  const [[, kind, code = '']] = useState(() => LINK.exec(location.hash) ?? []);
  const [step, setStep] = useState<'title' | 'choose' | 'forgotten' | 'confirm'>(
    kind === 'set-password' ? 'choose' : kind === 'confirm-email' ? 'confirm' : 'title',
  );
  const [note, setNote] = useState('');
  const signIn = useMutation(mutations.signInByLink);
  // A code is used once: the address has it no more.
  const leaveLink = (): void => history.replaceState(null, '', location.pathname + location.search);
  const followLink = useEffectEvent(async (): Promise<void> => {
    if (kind !== 'sign-in' || !LINK.test(location.hash)) return;
    leaveLink();
    if (await signIn.run({ code })) onSignedIn();
  });
  useEffect(() => void followLink(), []);
  const back = (said: string): void => {
    leaveLink();
    setNote(said);
    setStep('title');
  };
  return (
    <WordsContext value={text}>
      <main className="sign-in">
        <h1>{text[step]}</h1>
        {signIn.problem && <FailureNote failure={signIn.failure ?? { message: text.linkUsed }} />}
        {hasEnded && note === '' && step === 'title' && <p role="status">{text.ended}</p>}
        {note !== '' && <p role="status">{note}</p>}
        {present && step !== 'title' && <p>{text.signedIn(present.name)}</p>}
        {step === 'confirm' && <ConfirmEmail code={code} onConfirmed={back} />}
        {step === 'choose' && (
          <SendForm
            root={null}
            fields={[{ name: 'password', autoComplete: 'new-password', help: text.chooseHelp }]}
            document={mutations.passwordSetByLink}
            args={{ code }}
            submit={text.title}
            onDone={({ viewer }) => {
              back(text.passwordSet);
              if (viewer) onSignedIn();
            }}
          />
        )}
        {step === 'forgotten' && <Forgotten onLeave={back} />}
        {step === 'title' && !present && (
          <>
            <Credentials onSignedIn={onSignedIn} />
            <button type="button" className="button button-quiet" onClick={() => setStep('forgotten')}>
              {text.forgotten}
            </button>
          </>
        )}
        {(present ?? step === 'confirm') && (
          <Button
            onPress={() => {
              back('');
              present?.stay();
            }}
          >
            {present ? text.stay(present.name) : text.title}
          </Button>
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

/** Confirms an address once the person presses the button, and says so. */
function ConfirmEmail(props: {
  readonly code: string;
  readonly onConfirmed: (said: string) => void;
}): ReactNode {
  const text = useTexts(words);
  const { run, problem, failure, isRunning } = useMutation(mutations.emailConfirm);
  const confirm = async (): Promise<void> => {
    const confirmed = await run({ code: props.code });
    if (confirmed) props.onConfirmed(`${text.confirmed} ${confirmed.email}`);
  };
  return (
    <>
      {problem && <FailureNote failure={failure ?? { message: text.linkUsed }} />}
      <Button variant="primary" isPending={isRunning} onPress={() => void confirm()}>
        {text.confirm}
      </Button>
    </>
  );
}

/** Asks for the address to which a link for a new password is sent. */
function Forgotten({ onLeave }: { readonly onLeave: (said: string) => void }): ReactNode {
  const text = useTexts(words);
  const noMail = useNoMail();
  return (
    <SendForm
      root={null}
      fields={[{ name: 'email', autoComplete: 'username' }]}
      document={mutations.passwordRequest}
      help={noMail && `${noMail} ${text.askAdministrator}`}
      submit={text.send}
      done={text.requested}
      onDone={() => onLeave(text.requested)}
      onCancel={() => onLeave('')}
    />
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
          options={async () => {
            const { secondFactor, userErrors } = await mutate(mutations.signIn, entered);
            return { options: secondFactor, userErrors };
          }}
          onPasskey={(passkey) => send({ secondFactor: { passkey } })}
        />
      )}
    </SendForm>
  );
}
