import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useSession } from '../../app/session';
import type { AccountQuery, Scope } from '../../gql/graphql';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Confirm, Dialog } from '../../ui/dialog';
import { Ago, Badge, Copyable, Section } from '../../ui/facts';
import { Checkbox, TextInput } from '../../ui/field';
import { errorAt, Form } from '../../ui/form';
import { Empty, FailureNote } from '../../ui/states';
import { words as common } from '../../ui/words';
import { words } from './words';

const TOKEN_CREATE = graphql(`
  mutation TokenCreate($input: ApiTokenCreateInput!) {
    apiTokenCreate(input: $input) {
      token
      userErrors { code message path rule params }
    }
  }
`);

const TOKEN_RENEW = graphql(`
  mutation TokenRenew($id: ID!) {
    apiTokenRenew(id: $id) {
      token
      userErrors { code message path rule params }
    }
  }
`);

const TOKEN_REVOKE = graphql(`
  mutation TokenRevoke($id: ID!) {
    apiTokenRevoke(id: $id) {
      userErrors { code message path rule params }
    }
  }
`);

type Token = AccountQuery['viewer']['apiTokens']['nodes'][number];

interface TokensProps {
  readonly tokens: readonly Token[];
  readonly onChange: () => void;
}

/** The person's tokens of the API: generate, renew, revoke. */
export function Tokens({ tokens, onChange }: TokensProps): ReactNode {
  const text = useTexts(words);
  const [isCreating, setCreating] = useState(false);
  const [changing, setChanging] = useState<{ token: Token; what: 'renew' | 'revoke' } | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const show = (token: string | null | undefined): void => {
    setCreating(false);
    setChanging(null);
    setShown(token ?? null);
    onChange();
  };
  return (
    <Section
      title={text.tokens}
      actions={
        <Button icon="add" look="primary" onPress={() => setCreating(true)}>
          {text.generate}
        </Button>
      }
    >
      {tokens.length === 0 && <Empty>{text.noTokens}</Empty>}
      {tokens.length > 0 && (
        <TokenTable
          tokens={tokens}
          onRenew={(token) => setChanging({ token, what: 'renew' })}
          onRevoke={(token) => setChanging({ token, what: 'revoke' })}
        />
      )}
      {isCreating && <TokenForm onClose={() => setCreating(false)} onCreated={show} />}
      {changing && <TokenChange {...changing} onClose={() => setChanging(null)} onChanged={show} />}
      <Dialog title={text.token} isOpen={shown !== null} onClose={() => setShown(null)}>
        <div className="stack">
          <p>{text.tokenShown}</p>
          <Copyable label={text.token} value={shown ?? ''} />
        </div>
      </Dialog>
    </Section>
  );
}

function TokenTable(props: {
  readonly tokens: readonly Token[];
  readonly onRenew: (token: Token) => void;
  readonly onRevoke: (token: Token) => void;
}): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  return (
    <div className="wide">
      <table className="plain-table">
        <thead>
          <tr>
            <th>{text.name}</th>
            <th>{text.scopes}</th>
            <th>{text.lastUsed}</th>
            <th>{text.expires}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {props.tokens.map((token) => (
            <tr key={token.id}>
              <td>
                {nameOf(token, text.signIn)} <span className="faint code">…{token.lastFour}</span>
              </td>
              <td>{token.scopes.map((scope) => text[scope]).join(', ')}</td>
              <td>
                <Ago at={token.lastUsedAt} />
              </td>
              <td>{token.expiresAt ? format.date(token.expiresAt) : '–'}</td>
              <td className="end">
                {token.revokedAt ? (
                  <Badge>{text.revoked}</Badge>
                ) : (
                  <span className="buttons">
                    <Button onPress={() => props.onRenew(token)}>{text.renew}</Button>
                    <Button look="danger" onPress={() => props.onRevoke(token)}>
                      {text.revoke}
                    </Button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TokenChange(props: {
  readonly token: Token;
  readonly what: 'renew' | 'revoke';
  readonly onClose: () => void;
  readonly onChanged: (token: string | null) => void;
}): ReactNode {
  const text = useTexts(words);
  const { token, what, onClose, onChanged } = props;
  const renew = useMutation(TOKEN_RENEW, ['ACCESS_TOKEN']);
  const revoke = useMutation(TOKEN_REVOKE, ['ACCESS_TOKEN']);
  const name = nameOf(token, text.signIn);
  const confirm = async (): Promise<void> => {
    if (what === 'renew') {
      const payload = await renew.run({ id: token.id });
      if (payload) onChanged(payload.token ?? null);
    } else if (await revoke.run({ id: token.id })) {
      onChanged(null);
    }
  };
  const { failure, errors, isRunning } = what === 'renew' ? renew : revoke;
  const problem = failure ?? errors[0];
  return (
    <Confirm
      title={what === 'renew' ? text.renewTitle(name) : text.revokeTitle(name)}
      action={what === 'renew' ? text.renew : text.revoke}
      isOpen
      isRunning={isRunning}
      isDangerous={what === 'revoke'}
      onClose={onClose}
      onConfirm={() => void confirm()}
    >
      <p>{what === 'renew' ? text.renewHelp : text.revokeHelp}</p>
      {problem && <FailureNote failure={problem} />}
    </Confirm>
  );
}

function TokenForm(props: {
  readonly onClose: () => void;
  readonly onCreated: (token: string | null | undefined) => void;
}): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { viewer } = useSession();
  const [name, setName] = useState('');
  const [expiresOn, setExpiresOn] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['READ']);
  const create = useMutation(TOKEN_CREATE, ['ACCESS_TOKEN']);
  const submit = async (): Promise<void> => {
    const expiresAt = expiresOn === '' ? null : new Date(`${expiresOn}T23:59:59`).toISOString();
    const payload = await create.run({ input: { name, scopes: [...scopes], expiresAt } });
    if (payload) props.onCreated(payload.token);
  };
  return (
    <Dialog title={text.generate} isOpen onClose={props.onClose}>
      <Form
        {...create}
        onSubmit={() => void submit()}
        onCancel={props.onClose}
        submit={commonText.create}
        shown={['input.name', 'input.scopes', 'input.expiresAt']}
      >
        <TextInput
          label={text.name}
          help={text.purpose}
          autoFocus
          value={name}
          onChange={setName}
          error={errorAt(create.errors, 'input', 'name')}
        />
        <fieldset className="field">
          <legend>{text.scopes}</legend>
          {viewer.scopes.map((scope) => (
            <Checkbox
              key={scope}
              isSelected={scopes.includes(scope)}
              onChange={(isSelected) =>
                setScopes(isSelected ? [...scopes, scope] : scopes.filter((each) => each !== scope))
              }
            >
              {text[scope]}
            </Checkbox>
          ))}
          <small>{errorAt(create.errors, 'input', 'scopes') ?? text.scopesHelp}</small>
        </fieldset>
        <TextInput
          label={text.expiresOn}
          type="date"
          value={expiresOn}
          onChange={setExpiresOn}
          error={errorAt(create.errors, 'input', 'expiresAt')}
        />
      </Form>
    </Dialog>
  );
}

const nameOf = ({ name }: Token, signIn: string): string => name ?? signIn;
