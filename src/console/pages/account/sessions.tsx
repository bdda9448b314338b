import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import type { AccountQuery } from '../../gql/graphql';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { Ago, Badge, Section } from '../../ui/facts';
import { words } from './words';

const SESSION_END = graphql(`
  mutation SessionEnd($id: ID!) {
    sessionEnd(id: $id) {
      endedId
      userErrors { code message path rule params }
    }
  }
`);

interface SessionsProps {
  readonly sessions: AccountQuery['viewer']['sessions'];
  readonly onChange: () => void;
}

/** Browsers in which the person is signed in. */
export function Sessions({ sessions, onChange }: SessionsProps): ReactNode {
  const text = useTexts(words);
  const [ending, setEnding] = useState<string | null>(null);
  const end = useMutation(SESSION_END);
  const confirm = async (id: string): Promise<void> => {
    if (await end.run({ id })) onChange();
    setEnding(null);
  };
  return (
    <Section title={text.sessions}>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{text.browser}</th>
            <th>{text.ip}</th>
            <th>{text.lastUsed}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, userAgent, ip, lastUsedAt, current }) => (
            <tr key={id}>
              <td>{browserOf(userAgent)}</td>
              <td>{ip}</td>
              <td>
                <Ago at={lastUsedAt} />
              </td>
              <td className="end">
                {current ? (
                  <Badge tone="good">{text.current}</Badge>
                ) : (
                  <Button onPress={() => setEnding(id)}>{text.end}</Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Confirm
        title={text.endTitle}
        action={text.end}
        isOpen={ending !== null}
        isRunning={end.isRunning}
        isDangerous
        onClose={() => setEnding(null)}
        onConfirm={() => ending !== null && void confirm(ending)}
      >
        {text.endHelp}
      </Confirm>
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
