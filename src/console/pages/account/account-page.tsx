import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import { useSession, type Viewer } from '../../app/session';
import type { AccountQuery } from '../../gql/graphql';
import { ActionButton } from '../../record/dialog-button';
import { SendForm } from '../../record/fields';
import { Facts, SmallTable } from '../../table/shown';
import { useFormat, useTexts } from '../../text';
import { zonesWith } from '../../text/zone';
import { Badge } from '../../ui/facts';
import { Card, Page } from '../../ui/page';
import { PageFailure } from '../../ui/states';
import { useNoMail } from '../../ui/words';
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
  const left = rate && `${text.rate}: ${format.number(rate.remaining)} / ${format.number(rate.limit)}`;
  return (
    <Page name="account" text={text} note={<small>{left}</small>}>
      {error && <PageFailure error={error} onRetry={reload} />}
      <Tokens tokens={data?.viewer.apiTokens.nodes ?? []} />
      {viewer.session && data && <Passkeys {...data.viewer} />}
      <Sessions sessions={data?.viewer.sessions ?? []} />
      <div className="cards">
        {viewer.user && <Profile key={JSON.stringify(viewer.user)} user={viewer.user} />}
        {viewer.session && <Credentials />}
      </div>
    </Page>
  );
}

function Sessions(props: Pick<AccountQuery['viewer'], 'sessions'>): ReactNode {
  const text = useText();
  return (
    <Card title={text.sessions}>
      <SmallTable
        rows={props.sessions}
        columns={[
          { id: 'browser', render: ({ userAgent }) => browserOf(userAgent) },
          'ip',
          'lastUsedAt',
          {
            id: 'end',
            title: '',
            align: 'end',
            render: ({ id, userAgent, current }) =>
              current ? (
                <Badge tone="good">{text.thisSession}</Badge>
              ) : (
                <ActionButton
                  label={text.end}
                  title={`${text.end}: ${browserOf(userAgent)}`}
                  help={text.endHelp}
                  isDangerous
                  document={mutations.sessionEnd}
                  variables={{ id }}
                />
              ),
          },
        ]}
      />
    </Card>
  );
}

function Profile({ user }: { readonly user: NonNullable<Viewer['user']> }): ReactNode {
  const text = useText();
  const roles = useTexts(roleNames);
  const { viewer, reload } = useSession();
  const zone = user.timeZone ?? 'UTC';
  return (
    <Card title={text.profile}>
      <Facts facts={['email', { id: 'role', value: roles[viewer.role] }]} record={user} />
      <SendForm
        fields={[
          { name: 'name', initial: user.name },
          { name: 'timeZone', initial: zone, values: zonesWith(zone) },
        ]}
        document={mutations.userUpdate}
        args={{ id: user.id }}
        onDone={reload}
      />
    </Card>
  );
}

/** Password and e-mail address, each changed with the present password. */
function Credentials(): ReactNode {
  const text = useText();
  return (
    <>
      <Card title={text.password}>
        <SendForm
          root={null}
          fields={['current', 'new']}
          document={mutations.passwordChange}
          submit={text.changePassword}
          done={text.passwordChanged}
        />
      </Card>
      <Card title={text.changeEmail}>
        <SendForm
          root={null}
          fields={[
            { name: 'email', label: text.newEmail, help: text.newEmailHelp },
            { name: 'password', label: text.current },
          ]}
          document={mutations.emailChange}
          help={useNoMail()}
          submit={text.changeEmail}
          done={text.emailSent}
        />
      </Card>
    </>
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
