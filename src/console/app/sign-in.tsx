import { useEffect, useRef, useState, type ReactNode } from 'react';

import { mutate, mutations, useMutation } from '../api';
import type { SecondFactorInput } from '../gql/graphql';
import { SendForm } from '../record/fields';
import { texts, useTexts } from '../text';
import { TextInput } from '../ui/field';
import { Form } from '../ui/form';
import { FailureNote } from '../ui/states';
import { adoptPreferences, usePreferences } from './preferences';
import { hasPasskeySupport, PasskeyButton } from './sign-in-passkey';

const words = texts({
  choose: ['Choose a password', 'Escolha uma senha'],
  chooseHelp: ['At least 12 characters.', 'Pelo menos 12 caracteres.'],
  confirmed: ['This is your address now:', 'Este é o seu endereço agora:'],
  forgotten: ['Forgotten password', 'Esqueci a senha'],
  requested: [
    'If there is such an account, a link is on its way.',
    'Se houver essa conta, um link está a caminho.',
  ],
  send: ['Send me a link', 'Enviar um link'],
  title: ['Sign in', 'Entrar'],
  email: ['E-mail', 'E-mail'],
  byPasskey: ['Sign in with a passkey', 'Entrar com chave de acesso'],
  code: ['Recovery code', 'Código de recuperação'],
  password: ['Password', 'Senha'],
  passwordSet: ['The password is set. Sign in with it.', 'A senha foi definida. Entre com ela.'],
  second: [
    'Confirm that it is you, with a passkey or one of your recovery codes.',
    'Confirme que é você, com uma chave de acesso ou um dos seus códigos de recuperação.',
  ],
  usePasskey: ['Use a passkey', 'Usar chave de acesso'],
  wrong: [
    'E-mail and password do not match, or the account is locked for some minutes.',
    'E-mail e senha não conferem, ou a conta está bloqueada por alguns minutos.',
  ],
  linkUsed: [
    'This link was used before or is too old. Sign in with e-mail and password.',
    'Este link já foi usado ou expirou. Entre com e-mail e senha.',
  ],
  language: ['Português', 'English'],
});

/** Purpose and code of a link, in the address of the page. */
const LINK = /^#(sign-in|set-password|confirm-email)=(.+)$/;

/**
 * Asks for e-mail and password. A link with a code, as the demo prints one, signs in by itself; links from e-mails let
 * a person choose a password, or confirm an address.
 */
export default function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  const text = useTexts(words);
  const { language } = usePreferences();
  const [[, kind, code = ''], setLink] = useState(() => LINK.exec(location.hash) ?? []);
  const [note, setNote] = useState<string | null>(null);
  const [isForgotten, setIsForgotten] = useState(false);
  const link = useLink(kind, code, (confirmed) =>
    confirmed === null ? onSignedIn() : setNote(`${text.confirmed} ${confirmed}`),
  );
  const back = (said: string): void => {
    setNote(said);
    setIsForgotten(false);
    setLink([]);
  };
  return (
    <main className="sign-in">
      <h1>{kind === 'set-password' ? text.choose : isForgotten ? text.forgotten : text.title}</h1>
      {link.isWrong && <FailureNote failure={{ message: text.linkUsed }} />}
      {note !== null && <p role="status">{note}</p>}
      {kind === 'set-password' ? (
        <SendForm
          root={null}
          fields={[
            { name: 'password', label: text.password, autoComplete: 'new-password', help: text.chooseHelp },
          ]}
          document={mutations.passwordSetByLink}
          args={{ code }}
          submit={text.title}
          onDone={({ viewer }) => (viewer ? onSignedIn() : back(text.passwordSet))}
        />
      ) : isForgotten ? (
        <SendForm
          root={null}
          fields={[{ name: 'email', label: text.email, autoComplete: 'username' }]}
          document={mutations.passwordRequest}
          submit={text.send}
          done={text.requested}
          onDone={() => back(text.requested)}
          onCancel={() => setIsForgotten(false)}
        />
      ) : (
        <Credentials onSignedIn={onSignedIn} />
      )}
      {kind !== 'set-password' && !isForgotten && (
        <button type="button" className="button button-quiet" onClick={() => setIsForgotten(true)}>
          {text.forgotten}
        </button>
      )}
      <button
        type="button"
        className="button button-quiet"
        onClick={() => adoptPreferences({ language: language === 'pt' ? 'en' : 'pt' })}
      >
        {text.language}
      </button>
    </main>
  );
}

/** E-mail and password, and then a second factor of people with passkeys; or a passkey alone. */
function Credentials({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  const text = useTexts(words);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isHalf, setIsHalf] = useState(false);
  const signIn = useMutation(mutations.signIn);
  const alone = useMutation(mutations.signInByPasskey);
  const submit = async (): Promise<void> => {
    const payload = await signIn.run({ email, password });
    if (payload?.secondFactor != null) setIsHalf(true);
    else if (payload) onSignedIn();
  };
  if (isHalf) return <SecondFactor credentials={{ email, password }} onSignedIn={onSignedIn} />;
  return (
    <>
      <Form {...signIn} onSubmit={() => void submit()} submit={text.title} errors={[]} shown={[]}>
        <TextInput
          label={text.email}
          name="email"
          type="email"
          autoComplete="username"
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <TextInput
          label={text.password}
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          error={signIn.errors.length > 0 ? text.wrong : undefined}
        />
      </Form>
      {alone.problem && <FailureNote failure={alone.problem} />}
      <PasskeyButton
        label={text.byPasskey}
        onPasskey={async (passkey) => (await alone.run({ passkey })) && onSignedIn()}
      />
    </>
  );
}

function SecondFactor(props: {
  readonly credentials: { readonly email: string; readonly password: string };
  readonly onSignedIn: () => void;
}): ReactNode {
  const text = useTexts(words);
  const { credentials, onSignedIn } = props;
  const [recoveryCode, setRecoveryCode] = useState('');
  const signIn = useMutation(mutations.signIn);
  const enter = async (secondFactor: SecondFactorInput): Promise<void> => {
    if (await signIn.run({ ...credentials, secondFactor })) onSignedIn();
  };
  return (
    <>
      <p>{text.second}</p>
      <PasskeyButton
        label={text.usePasskey}
        autoFocus
        options={async () => (await mutate(mutations.signIn, credentials)).secondFactor}
        onPasskey={(passkey) => enter({ passkey })}
      />
      <Form {...signIn} onSubmit={() => void enter({ recoveryCode })} submit={text.title} shown={[]}>
        <TextInput
          label={text.code}
          autoComplete="one-time-code"
          autoFocus={!hasPasskeySupport}
          value={recoveryCode}
          onChange={setRecoveryCode}
        />
      </Form>
    </>
  );
}

/** Uses the code of a link that needs nothing else, once; takes any code out of the address. */
function useLink(
  kind: string | undefined,
  code: string,
  onUsed: (confirmed: string | null) => void,
): { readonly isWrong: boolean } {
  const signIn = useMutation(mutations.signInByLink);
  const confirm = useMutation(mutations.emailConfirm);
  const isUsed = useRef(false);
  useEffect(() => {
    if (kind === undefined || isUsed.current) return;
    isUsed.current = true;
    const { pathname, search } = location;
    history.replaceState(null, '', pathname + search);
    if (kind === 'sign-in') void signIn.run({ code }).then((payload) => payload && onUsed(null));
    if (kind === 'confirm-email')
      void confirm.run({ code }).then((payload) => payload?.email != null && onUsed(payload.email));
  });
  return { isWrong: signIn.errors.length > 0 || confirm.errors.length > 0 };
}
