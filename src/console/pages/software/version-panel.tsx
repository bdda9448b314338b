import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, graphql, mutations, useMutation, useSubscription } from '../../api';
import type { AppVersionRecordFragment } from '../../gql/graphql';
import { DialogButton } from '../../record/dialog-button';
import { findAppVersions, findFiles, findGroups } from '../../record/find';
import type { Named } from '../../record/link';
import { LinkList, wholeIds, type LinkListProps } from '../../record/link-list';
import { RecordPanel } from '../../record/panel';
import { useListAddress } from '../../table/address';
import { CompactList } from '../../table/data-table';
import { terminalsIn } from '../../table/rows';
import { Facts } from '../../table/shown';
import { useFormat } from '../../text';
import { Bars, Section } from '../../ui/facts';
import { RolloutButton } from '../rollouts/rollout-button';
import { useAttachment } from './attachment';
import { ReleaseDialog } from './release-dialog';
import { useText } from './words';

const VERSION = fragment(`
  fragment AppVersionRecord on AppVersion {
    id revision number size crc sha256 displayable posDisplayLabel createdAt
    app { id name }
    reach { granted downloaded current proven failed overdue }
    groups(first: 100) { nodes { id name } pageInfo { hasNextPage } }
    files(first: 100) { nodes { id name size } pageInfo { hasNextPage } }
    modules(first: 100) {
      pageInfo { hasNextPage }
      nodes { id number app { name } }
    }
  }
`);

const TERMINAL = fragment(`
  fragment TerminalSoftwareRow on TerminalSoftware {
    state since attempts reason detail
    device { id serialNumber }
  }
`);

const STATES = ['FAILED', 'OVERDUE', 'GRANTED', 'DOWNLOADED', 'INSTALLED', 'PROVEN'] as const;

const CHANGED = graphql(`
  subscription SoftwareChanged($id: ID!) { softwareChanged(appVersionId: $id) { sequence } }
`);

export default function VersionPanel(): ReactNode {
  const text = useText();
  const format = useFormat();
  const setFiles = useMutation(mutations.appVersionSetFiles);
  const setModules = useMutation(mutations.appVersionSetModules);
  const [{ open: id = '' }] = useListAddress();
  useSubscription(CHANGED, { id }, 'APP_VERSION');
  return (
    <RecordPanel
      fragment={VERSION}
      follows={['GROUP', 'LOGICAL_NUMBER', 'FILE', 'DEVICE']}
      actions={(version) => (
        <>
          <RolloutButton version={version} label={text.startRollout} icon="steps" variant="primary" />
          <DialogButton
            label={text.release}
            icon="up"
            dialog={(close) => <ReleaseDialog version={version} onClose={close} />}
          />
        </>
      )}
      remove={mutations.appVersionDelete}
      edit={{
        document: mutations.appVersionUpdate,
        fields: ['number', 'posDisplayLabel', 'displayable'],
      }}
      tabs={(version) => ({
        reach: <Reach {...version} />,
        files: (
          <Links
            list={version.files}
            page="/files"
            find={findFiles}
            onChange={(fileIds) => void setFiles.run({ id: version.id, fileIds, ifMatch: version.revision })}
            problem={setFiles.problem}
            cell={({ size }) => format.bytes(size)}
          />
        ),
        modules: (
          <Links
            list={version.modules}
            page="/app-versions"
            find={findAppVersions}
            onChange={(moduleIds) =>
              void setModules.run({ id: version.id, moduleIds, ifMatch: version.revision })
            }
            problem={setModules.problem}
          />
        ),
        facts: (
          <Facts facts={['app', 'size', 'crc', 'sha256', 'posDisplayLabel', 'createdAt']} record={version} />
        ),
      })}
    />
  );
}

interface LinksProps<Row extends Named> extends Omit<LinkListProps<Row>, 'add' | 'onAdd' | 'onRemove'> {
  readonly onChange: (ids: string[]) => void;
}

/** Records that a version has, which are set together. */
function Links<Row extends Named>({ onChange, ...list }: LinksProps<Row>): ReactNode {
  const text = useText();
  const ids = wholeIds(list.list);
  return (
    <LinkList
      {...list}
      add={text.add}
      onAdd={ids ? (added) => onChange([...new Set([...ids, added])]) : undefined}
      onRemove={ids ? (removed) => onChange(ids.filter((id) => id !== removed)) : undefined}
    />
  );
}

/** How far a release has come, and the groups that get it. */
function Reach(version: AppVersionRecordFragment): ReactNode {
  const text = useText();
  const { id, reach, groups } = version;
  const { attach, detach, problem } = useAttachment([id]);
  const rows = (['granted', 'downloaded', 'current', 'proven', 'failed', 'overdue'] as const).map((key) => {
    return { key, name: text[key], count: reach[key] };
  });
  return (
    <>
      <Section title={text.reach}>
        <Bars rows={rows} max={reach.granted} />
        <p className="faint">
          {text.reachHelp}{' '}
          <Link to="/devices" search={{ filter: { version: { eq: id } } }}>
            {text.current}
          </Link>
        </p>
      </Section>
      <Section title={text.lacking}>
        <CompactList
          id="software"
          text={text}
          label={text.lacking}
          source={terminalsIn(id, TERMINAL)}
          columns={[
            'device',
            'state',
            { id: 'reason', render: ({ reason, detail }) => [reason, detail].filter(Boolean).join(': ') },
            'since',
            'attempts',
          ]}
          filters={[
            { id: 'state', values: STATES },
            { id: 'groupId', comparator: 'eq' },
            'presence',
            { id: 'reason', comparator: 'eq' },
          ]}
        />
      </Section>
      <Section title={text.groups}>
        <p className="faint">{text.groupsHelp}</p>
        {groups.nodes.length === 0 && <p className="faint">{text.noGroups}</p>}
        <LinkList
          list={groups}
          page="/groups"
          add={text.attachTo}
          find={findGroups}
          onAdd={(groupId) => void attach(groupId)}
          onRemove={(groupId) => void detach(groupId)}
          problem={problem}
        />
      </Section>
    </>
  );
}
