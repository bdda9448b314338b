import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { useSession } from '../../app/session';
import { SendForm } from '../../record/fields';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { zoneOptions } from '../../text/zone';
import { Facts, Section } from '../../ui/facts';
import { PageFailure } from '../../ui/states';
import { Sessions } from './sessions';
import { Tokens } from './tokens';
import { roleNames, useText } from './words';

const ACCOUNT = graphql(`
  query Account {
    viewer {
      rateLimit { limit remaining }
      apiTokens(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
        nodes { id name lastFour scopes lastUsedAt expiresAt revokedAt }
      }
      sessions { id lastUsedAt ip userAgent current }
    }
  }
`);

/** The person's own tokens, sessions, name, time zone and password. */
export default function AccountPage(): ReactNode {
  const text = useText();
  const format = useFormat();
  const { viewer } = useSession();
  const { data, error, reload } = useQuery(ACCOUNT, {}, ['ACCESS_TOKEN']);
  const rate = data?.viewer.rateLimit;
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.account}</h1>
        {rate && <small>{text.rate(format.number(rate.remaining), format.number(rate.limit))}</small>}
      </header>
      {error && <PageFailure error={error} onRetry={reload} />}
      <div className="card">
        <Tokens tokens={data?.viewer.apiTokens.nodes ?? []} onChange={reload} />
      </div>
      <div className="card">
        <Sessions sessions={data?.viewer.sessions ?? []} onChange={reload} />
      </div>
      <div className="cards">
        {viewer.user && <Profile key={JSON.stringify(viewer.user)} user={viewer.user} />}
        {viewer.session && <Password />}
      </div>
    </div>
  );
}

const USER_UPDATE = graphql(`
  mutation ProfileUpdate($id: ID!, $input: UserUpdateInput!) {
    userUpdate(id: $id, input: $input) { userErrors { code message path rule params } }
  }
`);

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly timeZone: string | null;
}

function Profile({ user }: { readonly user: User }): ReactNode {
  const text = useText();
  const roles = useTexts(roleNames);
  const { viewer, reload } = useSession();
  const timeZone = user.timeZone ?? 'UTC';
  return (
    <div className="card">
      <Section title={text.profile}>
        <Facts
          facts={[
            { name: 'E-mail', value: user.email },
            { name: text.role, value: roles[viewer.role] },
          ]}
        />
        <SendForm
          empty={{ name: user.name, timeZone }}
          fields={[
            { name: 'name', label: text.name },
            { name: 'timeZone', label: text.timeZone, options: zoneOptions(timeZone) },
          ]}
          document={USER_UPDATE}
          changes={['USER']}
          variables={(input) => ({ id: user.id, input })}
          onDone={reload}
        />
      </Section>
    </div>
  );
}

const PASSWORD_CHANGE = graphql(`
  mutation PasswordChange($current: String!, $new: String!) {
    passwordChange(current: $current, new: $new) { userErrors { code message path rule params } }
  }
`);

function Password(): ReactNode {
  const text = useText();
  return (
    <div className="card">
      <Section title={text.password}>
        <SendForm
          root={null}
          empty={NO_PASSWORD}
          fields={[
            {
              name: 'current',
              label: text.currentPassword,
              type: 'password',
              autoComplete: 'current-password',
            },
            {
              name: 'new',
              label: text.newPassword,
              help: text.passwordHelp,
              type: 'password',
              autoComplete: 'new-password',
            },
          ]}
          document={PASSWORD_CHANGE}
          variables={(passwords) => passwords}
          submit={text.changePassword}
          done={() => text.passwordChanged}
        />
      </Section>
    </div>
  );
}

const NO_PASSWORD = { current: '', new: '' };
