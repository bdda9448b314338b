import { useEffect, useRef, useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../api';
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

const words = texts({
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

const LINK = '#sign-in=';

/** Asks for e-mail and password; a link with a code, as the demo prints one, signs in by itself. */
export default function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  const text = useTexts(words);
  const { language } = usePreferences();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, errors, failure, isRunning } = useMutation(SIGN_IN);
  const link = useLink(onSignedIn);
  const submit = async (): Promise<void> => {
    if (await run({ email, password })) onSignedIn();
  };
  return (
    <main className="sign-in">
      <h1>{text.title}</h1>
      {link.isWrong && <FailureNote failure={{ message: text.linkUsed }} />}
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

/** Signs in by the code in the address, once, and takes it out of the address. */
function useLink(onSignedIn: () => void): { readonly isWrong: boolean } {
  const { run, errors } = useMutation(SIGN_IN_BY_LINK);
  const isUsed = useRef(false);
  useEffect(() => {
    const { hash, pathname, search } = location;
    if (!hash.startsWith(LINK) || isUsed.current) return;
    isUsed.current = true;
    history.replaceState(null, '', pathname + search);
    void run({ code: hash.slice(LINK.length) }).then((payload) => payload && onSignedIn());
  }, [run, onSignedIn]);
  return { isWrong: errors.length > 0 };
}
