import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql, mutations, useMutation } from '../../api';
import { useMay } from '../../app/session';
import type { GroupRecordFragment } from '../../gql/graphql';
import { DialogButton } from '../../record/dialog-button';
import { findAppVersions, findLogicalNumbers } from '../../record/find';
import { LinkList } from '../../record/link-list';
import { RecordPanel } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { SmallTable } from '../../table/small-table';
import { Checkbox } from '../../ui/inputs';
import { ReferenceInput } from '../../ui/reference-input';
import { FailureNote } from '../../ui/states';
import { SOURCE, useColumns } from '../logical-numbers/numbers-page';
import NewParameter from '../values/new-parameter';
import { useText } from './words';

const GROUP = graphql(`
  fragment GroupRecord on Group {
    id revision name
    appVersions(first: 100) {
      nodes { id number app { name } }
    }
    defaultAppVersions(first: 100) { nodes { id } }
    parameters(first: 100, orderBy: { field: KEY, direction: ASC }) { nodes { id key value } }
    metacontents(first: 100, orderBy: { field: KEY, direction: ASC }) { nodes { id key value } }
  }
`);

export default function GroupPanel(): ReactNode {
  const text = useText();
  return (
    <RecordPanel
      fragment={GROUP}
      follows={['PARAMETER', 'METACONTENT', 'APP_VERSION']}
      edit={{ fields: [{ name: 'name', label: text.name }], document: mutations.groupUpdate }}
      remove={mutations.groupDelete}
      tabs={(group) => [
        { id: 'numbers', title: text.logicalNumbers, content: <GroupNumbers groupId={group.id} /> },
        { id: 'versions', title: text.appVersions, content: <GroupVersions group={group} /> },
        { id: 'parameters', title: text.parameters, content: <Parameters group={group} /> },
        {
          id: 'metacontents',
          title: text.metacontents,
          content: (
            <Values rows={group.metacontents.nodes} page="/metacontents" empty={text.noMetacontents} />
          ),
        },
      ]}
    />
  );
}

function Parameters({ group }: { readonly group: GroupRecordFragment }): ReactNode {
  const text = useText();
  return (
    <>
      <div className="buttons">
        <DialogButton
          label={text.newParameter}
          dialog={(close) => <NewParameter owner={{ groupId: group.id }} onClose={close} />}
        />
      </div>
      <Values rows={group.parameters.nodes} page="/parameters" empty={text.noParameters} />
    </>
  );
}

interface ValuesProps {
  readonly rows: readonly { readonly id: string; readonly key: string; readonly value: unknown }[];
  readonly page: string;
  readonly empty: string;
}

function Values(props: ValuesProps): ReactNode {
  return (
    <SmallTable
      {...props}
      hasTitles={false}
      columns={[
        { id: 'key', title: '', page: props.page },
        { id: 'value', title: '', render: ({ value }) => textOf(value) },
      ]}
    />
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The logical numbers of a group with their devices; others are moved into it by their number. */
function GroupNumbers({ groupId }: { readonly groupId: string }): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const navigate = useNavigate();
  const columns = useColumns();
  const [moved, setMoved] = useState(0);
  const { run, problem } = useMutation(mutations.logicalNumberMove);
  const move = async (id: string): Promise<void> => {
    if (await run({ id, groupId, force: false })) setMoved(moved + 1);
  };
  return (
    <>
      {problem && <FailureNote failure={problem} />}
      {mayWrite && (
        <ReferenceInput
          key={moved}
          label={text.addNumber}
          value={null}
          find={findLogicalNumbers}
          onChange={(number) => number && void move(number.id)}
        />
      )}
      <CompactList
        id="group-numbers"
        label={text.logicalNumbers}
        source={SOURCE}
        fixedFilter={{ groupId: { eq: groupId } }}
        onOpen={({ id: open }) => void navigate({ to: '/logical-numbers', search: { open } })}
        columns={columns.filter(({ id }) => id !== 'group')}
        filters={[{ id: 'number', title: text.logicalNumber, kind: 'text', comparator: 'startsWith' }]}
        empty={text.noNumbers}
      />
      <p>
        <Link to="/devices" search={{ filter: { group: { eq: groupId } } }}>
          {text.devices}
        </Link>
      </p>
    </>
  );
}

/** App versions that numbers of the group may have, and which of them a number gets when it comes into the group. */
function GroupVersions({ group }: { readonly group: GroupRecordFragment }): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const attach = useMutation(mutations.groupAttachAppVersions);
  const detach = useMutation(mutations.groupDetachAppVersions);
  const setDefaults = useMutation(mutations.groupSetDefaultAppVersions);
  const problem = attach.problem ?? detach.problem ?? setDefaults.problem;
  const { id, revision: ifMatch } = group;
  const defaults = group.defaultAppVersions.nodes.map((version) => version.id);
  const setDefault = (versionId: string, isDefault: boolean): void => {
    const others = defaults.filter((each) => each !== versionId);
    void setDefaults.run({ id, ifMatch, appVersionIds: isDefault ? [...others, versionId] : others });
  };
  return (
    <LinkList
      rows={group.appVersions.nodes}
      page="/app-versions"
      add={text.attach}
      find={findAppVersions}
      onAdd={(versionId) => void attach.run({ id, appVersionIds: [versionId] })}
      onRemove={(versionId) => void detach.run({ id, appVersionIds: [versionId] })}
      problem={problem}
      cell={(row) => (
        <Checkbox
          isSelected={defaults.includes(row.id)}
          isDisabled={!mayWrite}
          onChange={(isDefault) => setDefault(row.id, isDefault)}
        >
          {text.getsNew}
        </Checkbox>
      )}
      empty={text.noVersions}
    />
  );
}
