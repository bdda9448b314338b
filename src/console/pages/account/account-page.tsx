import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import { useSession } from '../../app/session';
import type { AccountQuery } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { SendForm } from '../../record/fields';
import { SmallTable } from '../../table/small-table';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { zoneOptions } from '../../text/zone';
import { Badge, Facts, Section } from '../../ui/facts';
import { PageFailure } from '../../ui/states';
import { Passkeys } from './passkeys';
import { Tokens } from './tokens';
import { roleNames, useText } from './words';

const ACCOUNT = graphql(`
  query Account {
    viewer {
      rateLimit { limit remaining }
      apiTokens(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
        nodes { id name lastFour scopes lastUsedAt expiresAt revokedAt replacedBy { lastFour } }
      }
      sessions { id lastUsedAt ip userAgent current }
      passkeys { id name lastUsedAt }
      recoveryCodesLeft
    }
  }
`);

/** The person's own tokens, passkeys, sessions, name, time zone and password. */
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
        {rate && (
          <small>{`${text.rate}: ${format.number(rate.remaining)} / ${format.number(rate.limit)}`}</small>
        )}
      </header>
      {error && <PageFailure error={error} onRetry={reload} />}
      <div className="card">
        <Tokens tokens={data?.viewer.apiTokens.nodes ?? []} onChange={reload} />
      </div>
      {viewer.session && data && (
        <div className="card">
          <Passkeys
            passkeys={data.viewer.passkeys}
            codesLeft={data.viewer.recoveryCodesLeft}
            onChange={reload}
          />
        </div>
      )}
      <div className="card">
        <Sessions sessions={data?.viewer.sessions ?? []} onChange={reload} />
      </div>
      <div className="cards">
        {viewer.user && <Profile key={JSON.stringify(viewer.user)} user={viewer.user} />}
        {viewer.session && <Password />}
        {viewer.session && <Email />}
      </div>
    </div>
  );
}

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
          document={mutations.userUpdate}
          variables={(input) => ({ id: user.id, input })}
          onDone={reload}
        />
      </Section>
    </div>
  );
}

function Password(): ReactNode {
  const text = useText();
  return (
    <div className="card">
      <Section title={text.password}>
        <SendForm
          root={null}
          empty={{ current: '', new: '' }}
          fields={[
            { ...PASSWORD, name: 'current', label: text.currentPassword, autoComplete: 'current-password' },
            { ...PASSWORD, name: 'new', label: text.newPassword, help: text.passwordHelp },
          ]}
          document={mutations.passwordChange}
          submit={text.changePassword}
          done={() => text.passwordChanged}
        />
      </Section>
    </div>
  );
}

function Email(): ReactNode {
  const text = useText();
  return (
    <div className="card">
      <Section title={text.changeEmail}>
        <SendForm
          root={null}
          empty={{ email: '', password: '' }}
          fields={[
            { name: 'email', label: text.newEmail, type: 'email', help: text.newEmailHelp },
            { ...PASSWORD, name: 'password', label: text.currentPassword, autoComplete: 'current-password' },
          ]}
          document={mutations.emailChange}
          submit={text.changeEmail}
          done={() => text.emailSent}
        />
      </Section>
    </div>
  );
}

const PASSWORD = { type: 'password', autoComplete: 'new-password' };

interface SessionsProps {
  readonly sessions: AccountQuery['viewer']['sessions'];
  readonly onChange: () => void;
}

/** Browsers in which the person is signed in. */
function Sessions({ sessions, onChange }: SessionsProps): ReactNode {
  const text = useText();
  return (
    <Section title={text.sessions}>
      <SmallTable
        rows={sessions}
        columns={[
          { id: 'browser', title: text.browser, render: ({ userAgent }) => browserOf(userAgent) },
          { id: 'ip', title: text.ip },
          { id: 'lastUsedAt', title: text.lastUsed, kind: 'ago' },
          {
            id: 'end',
            title: '',
            align: 'end',
            render: ({ id, userAgent, current }) =>
              current ? (
                <Badge tone="good">{text.current}</Badge>
              ) : (
                <ActionButton
                  label={text.end}
                  title={`${text.end}: ${browserOf(userAgent)}`}
                  help={text.endHelp}
                  isDangerous
                  document={mutations.sessionEnd}
                  variables={{ id }}
                  onDone={onChange}
                />
              ),
          },
        ]}
      />
    </Section>
  );
}

/** Name and system of a browser, as far as it says so: "Firefox, Linux". */
function browserOf(userAgent: string | null | undefined): string {
  const text = userAgent ?? '';
  const browser = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'].find((name) => text.includes(name));
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'].find((name) =>
    text.includes(name),
  );
  const names = [browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser, system];
  return names.filter((name) => name !== undefined).join(', ') || '–';
}
