import { useState, type ReactNode } from 'react';

import { texts, useTexts } from '../text';
import { TextInput } from '../ui/field';
import { Form, errorAt } from '../ui/form';

const words = texts({
  en: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    signIn: 'Sign in',
  },
  pt: {
    title: 'Entrar',
    email: 'E-mail',
    password: 'Senha',
    signIn: 'Entrar',
  },
});

export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  const text = useTexts(words);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <main className="sign-in">
      <h1>{text.title}</h1>
      <Form
        onSubmit={onSignedIn}
        submit={text.signIn}
        isRunning={false}
        failure={null}
        errors={[]}
        shown={['email', 'password']}
      >
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          autoFocus
          error={errorAt([], 'email')}
        />
        <TextInput
          label={text.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      </Form>
    </main>
  );
}
