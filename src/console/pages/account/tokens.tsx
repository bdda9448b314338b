import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { useSession } from '../../app/session';
import type { AccountQuery, Scope } from '../../gql/graphql';
import { ActionButton, creating, DialogButton } from '../../record/dialog-button';
import { SmallTable } from '../../table/shown';
import { useFormat } from '../../text';
import { useSecret } from '../../ui/dialog';
import { Badge, Section } from '../../ui/facts';
import { useText } from './words';

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
  const [secret, showSecret] = useSecret(text.token);
  const show: OnToken = ({ token }) => {
    showSecret(token);
    onChange();
  };
  const nameOf = ({ name }: Token): string => name ?? text.signIn;
  const generate = creating({
    title: text.generate,
    fields: [
      { name: 'name', help: text.purpose, autoFocus: true },
      { name: 'expiresAt', label: text.expiresOn },
      {
        name: 'scopes',
        values: viewer.scopes.includes('ADMIN') ? ALL_SCOPES : viewer.scopes,
        isMany: true,
        initial: ['READ'],
      },
    ],
    document: mutations.apiTokenCreate,
    children: () => <small>{text.scopesHelp}</small>,
    onDone: show,
  });
  return (
    <Section title={text.tokens} actions={<DialogButton {...generate} look="primary" scope="READ" />}>
      <SmallTable
        rows={tokens}
        columns={[
          {
            id: 'name',
            render: (token) => (
              <>
                {nameOf(token)} <span className="faint code">…{token.lastFour}</span>
              </>
            ),
          },
          'scopes',
          'lastUsedAt',
          {
            id: 'expiresAt',
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
      {secret}
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
  const { id, replacedBy } = token;
  if (token.revokedAt) return <Badge>{text.revoked}</Badge>;
  if (token.expiresAt && Date.parse(token.expiresAt) <= Date.now()) return <Badge>{text.expired}</Badge>;
  const rename = creating({
    title: `${text.rename}: ${name}`,
    fields: [{ name: 'name', initial: name, help: text.purpose, autoFocus: true }],
    document: mutations.apiTokenUpdate,
    args: { id },
    submit: text.rename,
    onDone: () => onToken({}),
  });
  const renew = creating({
    title: `${text.renew}: ${name}`,
    root: null,
    fields: ['keepOldFor'],
    document: mutations.apiTokenRenew,
    args: { id },
    submit: text.renew,
    onDone: onToken,
  });
  return (
    <span className="buttons">
      {token.name !== null && <DialogButton {...rename} label={text.rename} scope="READ" icon="edit" />}
      {replacedBy ? (
        <Badge>{`${text.replaced} …${replacedBy.lastFour}`}</Badge>
      ) : (
        <DialogButton {...renew} label={text.renew} scope="READ" icon="key" />
      )}
      <ActionButton
        variables={{ id }}
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
