import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { AccountQuery } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import { SmallTable } from '../../table/small-table';
import { Badge, Section } from '../../ui/facts';
import { useText } from './words';

const SESSION_END = graphql(`
  mutation SessionEnd($id: ID!) {
    sessionEnd(id: $id) { userErrors { code message path rule params } }
  }
`);

interface SessionsProps {
  readonly sessions: AccountQuery['viewer']['sessions'];
  readonly onChange: () => void;
}

/** Browsers in which the person is signed in. */
export function Sessions({ sessions, onChange }: SessionsProps): ReactNode {
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
            render: ({ id, current }) =>
              current ? (
                <Badge tone="good">{text.current}</Badge>
              ) : (
                <ActionButton
                  label={text.end}
                  title={text.endTitle}
                  help={text.endHelp}
                  isDangerous
                  document={SESSION_END}
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
