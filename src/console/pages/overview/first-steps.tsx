import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import { browserStorage } from '../../api/storage';
import { useMay, useSession } from '../../app/session';
import { ActionButton } from '../../record/dialog-button';
import { Button } from '../../ui/button';
import { Badge, Copyable } from '../../ui/facts';
import { Card } from '../../ui/page';
import { useText } from './words';

const FIRST_STEPS = graphql(`
  query FirstSteps($isAdmin: Boolean!) {
    logicalNumbers(first: 0) { totalCount }
    apps(first: 0) { totalCount }
    devices(first: 1) { nodes { id serialNumber lastSeenAt } }
    viewer { company { name members(first: 0) @include(if: $isAdmin) { totalCount } } }
  }
`);

/** Devices of a company that has got going. */
const MANY = 10;

/** The first hour of a company, step by step, until all is done or a person puts it away. */
export function FirstSteps({ devices }: { readonly devices: number }): ReactNode {
  const text = useText();
  const isAdmin = useMay('ADMIN');
  const mayWrite = useMay('WRITE');
  const { company } = useSession().viewer;
  const key = `first steps:${company?.id}`;
  const [isAway, setAway] = useState(browserStorage.get(key) !== null);
  const isAsked = mayWrite && devices < MANY && !isAway;
  const follows = ['DEVICE', 'PRESENCE', 'LOGICAL_NUMBER', 'APP', 'MEMBERSHIP'] as const;
  const { data } = useQuery(FIRST_STEPS, isAsked ? { isAdmin } : null, follows);
  if (!data || !isAsked) return null;
  const [device] = data.devices.nodes;
  const members = data.viewer.company?.members?.totalCount;
  const steps: readonly Step[] = [
    { name: text.stepCompany, isDone: company?.currency != null, to: '/settings' },
    { name: text.stepNumber, isDone: data.logicalNumbers.totalCount > 0, to: '/logical-numbers' },
    { name: text.stepDevice, isDone: device !== undefined, to: '/devices' },
    { name: text.stepCall, isDone: device?.lastSeenAt != null, to: '/devices' },
    { name: text.stepApp, isDone: data.apps.totalCount > 0, to: '/apps' },
    ...(members === undefined ? [] : [{ name: text.stepColleague, isDone: members > 1, to: '/members' }]),
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  const putAway = (): void => {
    browserStorage.set(key, 'true');
    setAway(true);
  };
  return (
    <Card title={text.firstSteps} actions={<Button onPress={putAway}>{text.putAway}</Button>}>
      <ol>
        {steps.map(({ name, isDone, to }) => (
          <li key={name}>
            <Link to={to}>{name}</Link> {isDone && <Badge tone="good">{text.done}</Badge>}
          </li>
        ))}
      </ol>
      {device?.lastSeenAt === null && <FirstCall id={device.id} serialNumber={device.serialNumber} />}
    </Card>
  );
}

interface Step {
  readonly name: string;
  readonly isDone: boolean;
  /** Page on which it is done. */
  readonly to: string;
}

/** A command that calls as the first terminal does, with its token once that is made. */
function FirstCall({ id, serialNumber }: { readonly id: string; readonly serialNumber: string }): ReactNode {
  const text = useText();
  const [token, setToken] = useState('TOKEN');
  const address = `${location.origin}/terminal/v1/manifest`;
  return (
    <>
      <p>{text.callHelp(serialNumber)}</p>
      <Copyable label={text.command} value={`curl -i ${address} -H "Authorization: Bearer ${token}"`} />
      {useMay('ADMIN') && (
        <ActionButton
          label={text.makeToken}
          document={mutations.deviceTokenIssue}
          variables={{ deviceId: id }}
          onDone={(payload) => setToken(payload.token ?? token)}
        />
      )}
    </>
  );
}
