import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useQuery } from '../../api/query';
import { useSession } from '../../app/session';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Facts, Section } from '../../ui/facts';
import { TextInput, Choice } from '../../ui/field';
import { errorAt, Form } from '../../ui/form';
import { PageFailure } from '../../ui/states';
import { notify } from '../../ui/toasts';
import { words as common } from '../../ui/words';
import { Sessions } from './sessions';
import { Tokens } from './tokens';
import { roleNames, words } from './words';

const ACCOUNT = graphql(`
  query Account {
    viewer {
      rateLimit { limit remaining }
      apiTokens(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
        nodes { id name kind lastFour scopes createdAt lastUsedAt expiresAt revokedAt }
      }
      sessions { id createdAt lastUsedAt ip userAgent current }
    }
  }
`);

/** The person's own tokens, sessions, name, time zone and password. */
export default function AccountPage(): ReactNode {
  const text = useTexts(words);
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
        {viewer.user && <Profile key={viewer.user.timeZone} user={viewer.user} />}
        {viewer.session && <Password />}
      </div>
    </div>
  );
}

const USER_UPDATE = graphql(`
  mutation ProfileUpdate($id: ID!, $input: UserUpdateInput!) {
    userUpdate(id: $id, input: $input) {
      userErrors { code message path rule params }
    }
  }
`);

const TIME_ZONES = Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone }));

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly timeZone: string | null;
}

function Profile({ user }: { readonly user: User }): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const roles = useTexts(roleNames);
  const { viewer, reload } = useSession();
  const [name, setName] = useState(user.name);
  const [timeZone, setTimeZone] = useState(user.timeZone ?? 'UTC');
  const update = useMutation(USER_UPDATE, ['USER']);
  const save = async (): Promise<void> => {
    if (!(await update.run({ id: user.id, input: { name, timeZone } }))) return;
    notify({ text: commonText.saved });
    reload();
  };
  const zones = TIME_ZONES.some(({ value }) => value === timeZone)
    ? TIME_ZONES
    : [{ value: timeZone, label: timeZone }, ...TIME_ZONES];
  return (
    <div className="card">
      <Section title={text.profile}>
        <Facts
          facts={[
            { name: 'E-mail', value: user.email },
            { name: text.role, value: roles[viewer.role] },
          ]}
        />
        <Form
          {...update}
          onSubmit={() => void save()}
          submit={commonText.save}
          shown={['input.name', 'input.timeZone']}
        >
          <TextInput
            label={text.name}
            value={name}
            onChange={setName}
            error={errorAt(update.errors, 'input', 'name')}
          />
          <Choice
            label={text.timeZone}
            options={zones}
            value={timeZone}
            onChange={setTimeZone}
            error={errorAt(update.errors, 'input', 'timeZone')}
          />
        </Form>
      </Section>
    </div>
  );
}

const PASSWORD_CHANGE = graphql(`
  mutation PasswordChange($current: String!, $new: String!) {
    passwordChange(current: $current, new: $new) {
      userErrors { code message path rule params }
    }
  }
`);

function Password(): ReactNode {
  const text = useTexts(words);
  const [current, setCurrent] = useState('');
  const [changed, setChanged] = useState('');
  const change = useMutation(PASSWORD_CHANGE);
  const save = async (): Promise<void> => {
    if (!(await change.run({ current, new: changed }))) return;
    setCurrent('');
    setChanged('');
    notify({ text: text.passwordChanged });
  };
  return (
    <div className="card">
      <Section title={text.password}>
        <Form
          {...change}
          onSubmit={() => void save()}
          submit={text.changePassword}
          shown={['current', 'new']}
        >
          <TextInput
            label={text.currentPassword}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            error={errorAt(change.errors, 'current')}
          />
          <TextInput
            label={text.newPassword}
            type="password"
            autoComplete="new-password"
            value={changed}
            onChange={setChanged}
            help={text.passwordHelp}
            error={errorAt(change.errors, 'new')}
          />
        </Form>
      </Section>
    </div>
  );
}
