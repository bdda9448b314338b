import { useEffect, useRef, useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../api';
import { SendForm } from '../record/fields';
import { texts, useTexts } from '../text';
import { TextInput } from '../ui/field';
import { Form } from '../ui/form';
import { FailureNote } from '../ui/states';
import { adoptPreferences, usePreferences } from './preferences';

const SIGN_IN = graphql(`
  mutation SignIn($email: String!, $password: String!) {
    signIn(email: $email, password: $password) { userErrors { code message path rule params } }
  }
`);

const SIGN_IN_BY_LINK = graphql(`
  mutation SignInByLink($code: String!) {
    signInByLink(code: $code) { userErrors { code message path rule params } }
  }
`);

const CONFIRM = graphql(`
  mutation EmailConfirm($code: String!) {
    emailConfirm(code: $code) { email userErrors { code message path rule params } }
  }
`);

const REQUEST = graphql(`
  mutation PasswordRequest($email: String!) {
    passwordRequest(email: $email) { userErrors { code message path rule params } }
  }
`);

const SET_PASSWORD = graphql(`
  mutation PasswordSetByLink($code: String!, $password: String!) {
    passwordSetByLink(code: $code, password: $password) { userErrors { code message path rule params } }
  }
`);

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
  password: ['Password', 'Senha'],
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
          empty={{ password: '' }}
          fields={[
            {
              name: 'password',
              label: text.password,
              type: 'password',
              autoComplete: 'new-password',
              help: text.chooseHelp,
            },
          ]}
          document={SET_PASSWORD}
          variables={({ password }) => ({ code, password })}
          submit={text.title}
          onDone={onSignedIn}
        />
      ) : isForgotten ? (
        <SendForm
          root={null}
          empty={{ email: '' }}
          fields={[{ name: 'email', label: text.email, type: 'email', autoComplete: 'username' }]}
          document={REQUEST}
          variables={(given) => given}
          submit={text.send}
          done={() => text.requested}
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

function Credentials({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  const text = useTexts(words);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, errors, failure, isRunning } = useMutation(SIGN_IN);
  const submit = async (): Promise<void> => {
    if (await run({ email, password })) onSignedIn();
  };
  return (
    <Form
      onSubmit={() => void submit()}
      submit={text.title}
      isRunning={isRunning}
      failure={failure}
      errors={[]}
      shown={[]}
    >
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
        error={errors.length > 0 ? text.wrong : undefined}
      />
    </Form>
  );
}

/** Uses the code of a link that needs nothing else, once; takes any code out of the address. */
function useLink(
  kind: string | undefined,
  code: string,
  onUsed: (confirmed: string | null) => void,
): { readonly isWrong: boolean } {
  const signIn = useMutation(SIGN_IN_BY_LINK);
  const confirm = useMutation(CONFIRM);
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
