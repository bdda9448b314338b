import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { Copyable, Section } from '../../ui/facts';
import { FailureNote } from '../../ui/states';
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
  const issue = useMutation(ISSUE, ['DEVICE']);
  const revoke = useMutation(REVOKE, ['DEVICE']);
  const [asking, setAsking] = useState<'issue' | 'revoke' | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    if (asking === 'issue') {
      const payload = await issue.run({ deviceId: id });
      if (payload) setToken(payload.token ?? null);
    } else if (await revoke.run({ deviceId: id })) {
      setToken(null);
      notify({ text: text.tokenRevoked });
    }
    setAsking(null);
  };
  const failure = issue.failure ?? revoke.failure;
  const [error] = [...issue.errors, ...revoke.errors];
  return (
    <Section
      title={text.token}
      actions={
        <div className="buttons">
          <Button icon="key" onPress={() => setAsking('issue')}>
            {text.issueToken}
          </Button>
          <Button look="danger" onPress={() => setAsking('revoke')}>
            {text.revokeToken}
          </Button>
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
      {error && <p className="field-error">{error.message}</p>}
      {failure && <FailureNote failure={failure} />}
      {asking && (
        <Confirm
          title={asking === 'issue' ? text.issueToken : text.revokeToken}
          action={asking === 'issue' ? text.issueToken : text.revokeToken}
          isOpen
          isDangerous={asking === 'revoke'}
          isRunning={issue.isRunning || revoke.isRunning}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(null)}
        >
          <p>{asking === 'issue' ? text.issueEffect : text.revokeEffect}</p>
        </Confirm>
      )}
    </Section>
  );
}
