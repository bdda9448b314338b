import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { RolloutRecordFragment, RolloutTerminalRowFragment } from '../../gql/graphql';
import type { RecordActions } from '../../record/bulk';
import { ActionButton } from '../../record/dialog-button';
import { nameOf, RecordLinks } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { listIn } from '../../table/rows';
import { Facts, State } from '../../table/shown';
import { useFormat, useLocale } from '../../text';
import { stoppedIn } from '../../text/stopped';
import { ALL_KNOWN, HAS_ENDED, Waves } from './waves';
import { useText } from './words';

const ROLLOUT = fragment(`
  fragment RolloutRecord on Rollout {
    id name state stoppedBecause total startAt figuresAt unmovedSince deadline createdAt
    createdBy { name }
    appVersions { id number app { name } }
    replacedAppVersions { id number app { name } }
    waves {
      state size minProvenPercent minDuration jobIds
      waiting excluded granted downloaded installed proven failed
      payments { now { ...Payments } before { ...Payments } waiting { ...Payments } }
    }
    stopWhen { failedPercent failedCount silentPercent approvalDropPercent }
    window { from to zone }
    job { id done total }
  }
  fragment Payments on RolloutPaymentFigures { approvedPercent perTerminalDay payments }
`);

const TERMINAL = fragment(`
  fragment RolloutTerminalRow on RolloutTerminal {
    id wave state obstacle grantedAt
    device { id serialNumber }
    logicalNumber { id number }
  }
`);

export default function RolloutPanel(): ReactNode {
  const text = useText();
  return (
    <RecordPanel
      fragment={ROLLOUT}
      follows={['JOB', 'APP_VERSION']}
      actions={(rollout) => <Actions {...rollout} />}
      tabs={(rollout) => ({
        waves: <Waves {...rollout} />,
        terminals: (
          <CompactList
            id="rollout-terminals"
            text={text}
            label={text.terminals}
            source={listIn(rollout.id, TERMINAL, 'ROLLOUT')}
            columns={['device', 'state', 'wave', 'logicalNumber', 'obstacle', 'grantedAt']}
            rowActions={leavingOut(rollout)}
            filters={[
              {
                id: 'state',
                values: ALL_KNOWN.map((known) => known.toUpperCase() as Uppercase<typeof known>),
              },
              { id: 'wave', values: rollout.waves.map((_wave, index) => `${index + 1}` as const) },
              'obstacle',
            ]}
          />
        ),
        facts: (
          <Facts
            record={rollout}
            facts={[
              {
                id: 'appVersions',
                value: <RecordLinks page="/app-versions" records={rollout.appVersions} />,
              },
              ...(rollout.startAt === null ? [] : (['startAt'] as const)),
              'createdAt',
              'createdBy',
            ]}
          />
        ),
      })}
    >
      {(rollout) => (
        <>
          <Outcome {...rollout} />
          {HAS_STOPPED.includes(rollout.state) && <Changed {...rollout} />}
        </>
      )}
    </RecordPanel>
  );
}

/** Leaves terminals out while the rollout goes on. */
const leavingOut = ({ id, state }: RolloutRecordFragment): RecordActions<RolloutTerminalRowFragment> => [
  {
    id: 'leaveOut',
    icon: 'remove',
    isFor: ({ device, obstacle }) => device !== null && obstacle === null && !HAS_ENDED.includes(state),
    isDangerous: true,
    fields: ['reason'],
    change: ({ device }, input: { readonly reason: string }) =>
      mutate(mutations.rolloutLeaveOut, { id, deviceIds: device === null ? [] : [device.id], ...input }),
  },
];

/** Leads to the devices that a rollout has changed. */
function Changed({ waves }: RolloutRecordFragment): ReactNode {
  const text = useText();
  const jobs = waves.flatMap(({ jobIds }) => jobIds);
  if (jobs.length === 0) return null;
  return (
    <p>
      <Link to="/devices" search={{ filter: { changedByJob: { in: jobs } } }}>
        {text.showChanged}
      </Link>
    </p>
  );
}

const HAS_STOPPED: readonly RolloutRecordFragment['state'][] = ['FINISHED', 'STOPPED_BY_FAILURES', 'UNDONE'];

/** The state of a rollout, with the reason why it has stopped, or the progress of its undo. */
function Outcome(rollout: RolloutRecordFragment): ReactNode {
  const { state, stoppedBecause, unmovedSince, job, waves } = rollout;
  const text = useText();
  const format = useFormat();
  const { language } = useLocale();
  const isUndone = state === 'UNDONE' && job;
  const onTheWay = waves.reduce((sum, { granted, downloaded }) => sum + granted + downloaded, 0);
  return (
    <div className={stoppedBecause === null ? 'buttons' : 'note note-bad'} role="status">
      <State of={state} />
      {stoppedBecause !== null && <p>{stoppedIn(language, stoppedBecause)}</p>}
      {state === 'RUNNING' && unmovedSince !== null && (
        <p>{`${text.unmovedSince} ${format.time(unmovedSince)}`}</p>
      )}
      {state === 'RUNNING' && <p className="faint">{text.pauseHelp}</p>}
      {state === 'PAUSED' && <p>{text.paused(format.number(onTheWay))}</p>}
      {isUndone && (
        <>
          <p>{text.gaveBack(format.number(job.done), format.number(job.total))}</p>
          <p>{text.stayAttached}</p>
          <RecordLinks page="/app-versions" records={rollout.appVersions} />
        </>
      )}
    </div>
  );
}

/** Pauses, resumes or undoes a rollout, as its state allows. */
function Actions({ id, state, waves, replacedAppVersions }: RolloutRecordFragment): ReactNode {
  const text = useText();
  const format = useFormat();
  const reached = waves.reduce((sum, { size, waiting, excluded }) => sum + size - waiting - excluded, 0);
  const count = format.number(reached);
  const versions = replacedAppVersions.map(nameOf).join(', ');
  return (
    <>
      {(state === 'PLANNED' || state === 'RUNNING') && (
        <ActionButton label={text.pause} document={mutations.rolloutPause} variables={{ id }} />
      )}
      {(state === 'PAUSED' || state === 'STOPPED_BY_FAILURES') && (
        <ActionButton label={text.resume} document={mutations.rolloutResume} variables={{ id }} />
      )}
      {state !== 'PLANNED' && state !== 'UNDONE' && (
        <ActionButton
          label={text.undoRollout}
          isDangerous
          help={versions === '' ? text.undoNothing(count) : text.undoHelp(count, versions)}
          document={mutations.rolloutUndo}
          variables={{ id }}
        />
      )}
    </>
  );
}
