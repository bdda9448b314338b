import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { ActionButton } from '../../record/action-button';
import { useTexts } from '../../text';
import { Copyable, Section } from '../../ui/facts';
import { notify } from '../../ui/toasts';
import { words } from './words';

const ISSUE = graphql(`
  mutation DeviceTokenIssue($deviceId: ID!) {
    deviceTokenIssue(deviceId: $deviceId) {
      token
      userErrors { code message path rule params }
    }
  }
`);

const REVOKE = graphql(`
  mutation DeviceTokenRevoke($deviceId: ID!) {
    deviceTokenRevoke(deviceId: $deviceId) {
      device { id }
      userErrors { code message path rule params }
    }
  }
`);

/** The token with which a terminal calls the service: shown once after it is issued. For administrators. */
export function DeviceToken({ id }: { readonly id: string }): ReactNode {
  const text = useTexts(words);
  const [token, setToken] = useState<string | null>(null);
  const shared = { variables: { deviceId: id }, changes: ['DEVICE'] } as const;
  return (
    <Section
      title={text.token}
      actions={
        <div className="buttons">
          <ActionButton
            {...shared}
            label={text.issueToken}
            icon="key"
            help={text.issueEffect}
            document={ISSUE}
            onDone={(payload) => setToken(payload.token)}
          />
          <ActionButton
            {...shared}
            label={text.revokeToken}
            isDangerous
            help={text.revokeEffect}
            document={REVOKE}
            onDone={() => {
              setToken(null);
              notify({ text: text.tokenRevoked });
            }}
          />
        </div>
      }
    >
      <p className="faint">{token === null ? text.tokenHelp : text.tokenOnce}</p>
      {token !== null && <Copyable value={token} label={text.token} />}
    </Section>
  );
}
