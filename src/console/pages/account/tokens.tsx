import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useSession } from '../../app/session';
import type { AccountQuery, Scope } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { CreateDialog } from '../../record/create-dialog';
import { SmallTable } from '../../table/small-table';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Badge, Section } from '../../ui/facts';
import { errorAt } from '../../ui/form';
import { Checkbox } from '../../ui/inputs';
import SecretDialog from '../../ui/secret-dialog';
import { Empty } from '../../ui/states';
import { useText } from './words';

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
    apiTokenRevoke(id: $id) { userErrors { code message path rule params } }
  }
`);

type Token = AccountQuery['viewer']['apiTokens']['nodes'][number];
type OnToken = (payload: { readonly token?: string | null }) => void;

interface TokensProps {
  readonly tokens: readonly Token[];
  readonly onChange: () => void;
}

/** The person's tokens of the API: generate, renew, revoke. */
export function Tokens({ tokens, onChange }: TokensProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const [isCreating, setCreating] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const show: OnToken = ({ token = null }) => {
    setShown(token);
    onChange();
  };
  const nameOf = ({ name }: Token): string => name ?? text.signIn;
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
        <SmallTable
          rows={tokens}
          columns={[
            {
              id: 'name',
              title: text.name,
              render: (token) => (
                <>
                  {nameOf(token)} <span className="faint code">…{token.lastFour}</span>
                </>
              ),
            },
            {
              id: 'scopes',
              title: text.scopes,
              render: ({ scopes }) => scopes.map((scope) => text[scope]).join(', '),
            },
            { id: 'lastUsedAt', title: text.lastUsed, kind: 'ago' },
            {
              id: 'expiresAt',
              title: text.expires,
              render: ({ expiresAt }) => (expiresAt ? format.date(expiresAt) : '–'),
            },
            {
              id: 'actions',
              title: '',
              align: 'end',
              render: (token) => <Actions token={token} name={nameOf(token)} onToken={show} />,
            },
          ]}
        />
      )}
      {isCreating && <TokenForm onClose={() => setCreating(false)} onToken={show} />}
      <SecretDialog label={text.token} help={text.tokenShown} secret={shown} onClose={() => setShown(null)} />
    </Section>
  );
}

function Actions(props: {
  readonly token: Token;
  readonly name: string;
  readonly onToken: OnToken;
}): ReactNode {
  const text = useText();
  const { token, name, onToken } = props;
  const change = { variables: { id: token.id }, changes: ['ACCESS_TOKEN'] } as const;
  if (token.revokedAt) return <Badge>{text.revoked}</Badge>;
  return (
    <span className="buttons">
      <ActionButton
        {...change}
        label={text.renew}
        title={text.renewTitle(name)}
        help={text.renewHelp}
        document={TOKEN_RENEW}
        onDone={onToken}
      />
      <ActionButton
        {...change}
        label={text.revoke}
        title={text.revokeTitle(name)}
        help={text.revokeHelp}
        isDangerous
        document={TOKEN_REVOKE}
        onDone={() => onToken({})}
      />
    </span>
  );
}

const EMPTY = { name: '', expiresOn: '' };

/** Administrators can give all of them, also those that their session does not have. */
const ALL_SCOPES: readonly Scope[] = ['READ', 'WRITE', 'ADMIN', 'INGEST', 'TERMINALS'];

function TokenForm(props: { readonly onClose: () => void; readonly onToken: OnToken }): ReactNode {
  const text = useText();
  const { viewer } = useSession();
  const scopesToGive = viewer.scopes.includes('ADMIN') ? ALL_SCOPES : viewer.scopes;
  const [scopes, setScopes] = useState<readonly Scope[]>(['READ']);
  const choose = (scope: Scope, isChosen: boolean): void => {
    const others = scopes.filter((each) => each !== scope);
    setScopes(isChosen ? [...others, scope] : others);
  };
  return (
    <CreateDialog
      title={text.generate}
      empty={EMPTY}
      fields={[
        { name: 'name', label: text.name, help: text.purpose, autoFocus: true },
        { name: 'expiresOn', label: text.expiresOn, type: 'date', argument: 'expiresAt' },
      ]}
      document={TOKEN_CREATE}
      changes={['ACCESS_TOKEN']}
      variables={({ name, expiresOn }) => {
        const expiresAt = expiresOn === '' ? null : new Date(`${expiresOn}T23:59:59`).toISOString();
        return { input: { name, scopes: [...scopes], expiresAt } };
      }}
      onCreated={props.onToken}
      onClose={props.onClose}
    >
      {({ errors }) => (
        <fieldset className="field">
          <legend>{text.scopes}</legend>
          {scopesToGive.map((scope) => (
            <Checkbox
              key={scope}
              isSelected={scopes.includes(scope)}
              onChange={(isChosen) => choose(scope, isChosen)}
            >
              {text[scope]}
            </Checkbox>
          ))}
          <small>{errorAt(errors, 'input', 'scopes') ?? text.scopesHelp}</small>
        </fieldset>
      )}
    </CreateDialog>
  );
}
