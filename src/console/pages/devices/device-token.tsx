import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { ActionButton } from '../../record/action-button';
import { Copyable, Section } from '../../ui/facts';
import { notify } from '../../ui/toasts';
import { useText } from './words';

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
    deviceTokenRevoke(deviceId: $deviceId) { userErrors { code message path rule params } }
  }
`);

/** The token with which a terminal calls the service: shown once after it is issued. For administrators. */
export function DeviceToken({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  const [token, setToken] = useState<string | null>(null);
  const change = { variables: { deviceId: id }, changes: ['DEVICE'] } as const;
  return (
    <Section
      title={text.token}
      actions={
        <div className="buttons">
          <ActionButton
            {...change}
            icon="key"
            label={text.issueToken}
            help={text.issueEffect}
            document={ISSUE}
            onDone={(payload) => setToken(payload.token ?? null)}
          />
          <ActionButton
            {...change}
            isDangerous
            label={text.revokeToken}
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
      {token === null ? (
        <p className="faint">{text.tokenHelp}</p>
      ) : (
        <>
          <p>{text.tokenOnce}</p>
          <Copyable value={token} label={text.token} />
        </>
      )}
    </Section>
  );
}
