import { useState, type ReactNode } from 'react';

import { mutations } from '../../api';
import { useSession } from '../../app/session';
import type { AccountQuery, Scope } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { creating, DialogButton } from '../../record/dialog-button';
import { ENDS_AT_ONCE, useKeepOldField } from '../../record/keep-old';
import { SmallTable } from '../../table/small-table';
import { useFormat } from '../../text/format';
import { SecretDialog } from '../../ui/dialog';
import { Badge, Section } from '../../ui/facts';
import { useText } from './words';

const EMPTY = {
  name: '',
  expiresOn: '',
  READ: true,
  WRITE: false,
  ADMIN: false,
  INGEST: false,
  TERMINALS: false,
};

/** Administrators can give all of them, also those that their session does not have. */
const ALL_SCOPES: readonly Scope[] = ['READ', 'WRITE', 'ADMIN', 'INGEST', 'TERMINALS'];

type Token = AccountQuery['viewer']['apiTokens']['nodes'][number];
type OnToken = (payload: { readonly token?: string | null }) => void;

interface TokensProps {
  readonly tokens: readonly Token[];
  readonly onChange: () => void;
}

/** The person's tokens of the API: generate, rename, renew, revoke. */
export function Tokens({ tokens, onChange }: TokensProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const { viewer } = useSession();
  const [shown, setShown] = useState<string | null>(null);
  const show: OnToken = ({ token = null }) => {
    setShown(token);
    onChange();
  };
  const nameOf = ({ name }: Token): string => name ?? text.signIn;
  const scopesToGive = viewer.scopes.includes('ADMIN') ? ALL_SCOPES : viewer.scopes;
  const generate = creating({
    title: text.generate,
    empty: EMPTY,
    fields: [
      { name: 'name', label: text.name, help: text.purpose, autoFocus: true },
      { name: 'expiresOn', label: text.expiresOn, type: 'date', argument: 'expiresAt' },
      ...scopesToGive.map((scope) => ({ name: scope, label: text[scope], isFlag: true })),
    ],
    document: mutations.apiTokenCreate,
    variables: ({ name, expiresOn, ...given }) => {
      const expiresAt = expiresOn === '' ? null : new Date(`${expiresOn}T23:59:59`).toISOString();
      return { input: { name, scopes: scopesToGive.filter((scope) => given[scope]), expiresAt } };
    },
    children: () => <small>{text.scopesHelp}</small>,
    onCreated: show,
  });
  return (
    <Section title={text.tokens} actions={<DialogButton {...generate} look="primary" scope="READ" />}>
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
            render: ({ expiresAt, replacedBy }) =>
              expiresAt ? format[replacedBy ? 'time' : 'date'](expiresAt) : '–',
          },
          {
            id: 'actions',
            title: '',
            align: 'end',
            render: (token) => <Actions token={token} name={nameOf(token)} onToken={show} />,
          },
        ]}
        empty={text.noTokens}
      />
      <SecretDialog label={text.token} secret={shown} onClose={() => setShown(null)} />
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
  const keepOldFor = useKeepOldField();
  if (token.revokedAt) return <Badge>{text.revoked}</Badge>;
  if (token.expiresAt && Date.parse(token.expiresAt) <= Date.now()) return <Badge>{text.expired}</Badge>;
  const rename = {
    ...creating({
      title: `${text.rename}: ${name}`,
      empty: { name },
      fields: [{ name: 'name', label: text.name, help: text.purpose, autoFocus: true }],
      document: mutations.apiTokenUpdate,
      submit: text.rename,
      variables: (input) => ({ id: token.id, input }),
      onCreated: () => onToken({}),
    }),
    label: text.rename,
  };
  const renew = {
    ...creating({
      title: `${text.renew}: ${name}`,
      empty: ENDS_AT_ONCE,
      fields: [keepOldFor],
      document: mutations.apiTokenRenew,
      submit: text.renew,
      variables: (given) => ({ id: token.id, ...given }),
      onCreated: onToken,
    }),
    label: text.renew,
  };
  return (
    <span className="buttons">
      {token.name !== null && <DialogButton {...rename} scope="READ" icon="edit" />}
      {token.replacedBy ? (
        <Badge>{`${text.replaced} …${token.replacedBy.lastFour}`}</Badge>
      ) : (
        <DialogButton {...renew} scope="READ" icon="key" />
      )}
      <ActionButton
        variables={{ id: token.id }}
        label={text.revoke}
        title={`${text.revoke}: ${name}`}
        help={text.revokeHelp}
        isDangerous
        document={mutations.apiTokenRevoke}
        onDone={() => onToken({})}
      />
    </span>
  );
}
