import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, mutations, useMutation } from '../../api';
import { useMay } from '../../app/session';
import type { GroupRecordFragment } from '../../gql/graphql';
import { RowMenu } from '../../record/actions';
import { creating, DialogButton } from '../../record/dialog-button';
import { findAppVersions, findLogicalNumbers } from '../../record/find';
import { LinkList, wholeIds } from '../../record/link-list';
import { RecordPanel } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { SmallTable } from '../../table/shown';
import { Checkbox } from '../../ui/field';
import { COLUMNS, SOURCE } from '../logical-numbers/numbers-page';
import { SEND_TO_GROUP } from '../logical-numbers/reaching';
import { useText as useNumberText } from '../logical-numbers/words';
import { useNewParameter } from '../values/owner';
import { useText } from './words';

const ROW = fragment(`
  fragment GroupRow on Group {
    id name updatedAt
    logicalNumbers(first: 0) { totalCount }
    appVersions(first: 0) { totalCount }
    parameters(first: 0) { totalCount }
  }
`);

export default function GroupsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="groups"
      text={text}
      source={listOf(ROW, 'LOGICAL_NUMBER', 'PARAMETER')}
      columns={['name', 'logicalNumbers', 'appVersions', 'parameters', 'updatedAt']}
      filters={['name']}
      create={{
        title: text.newGroup,
        fields: ['name'],
        document: mutations.groupCreate,
      }}
      panel={<GroupPanel />}
    />
  );
}

const RECORD = fragment(`
  fragment GroupRecord on Group {
    id revision name
    appVersions(first: 100) {
      pageInfo { hasNextPage }
      nodes { id number app { name } }
    }
    defaultAppVersions(first: 100) { nodes { id } pageInfo { hasNextPage } }
    parameters(first: 100, orderBy: { field: KEY, direction: ASC }) { nodes { id key value } }
    metacontents(first: 100, orderBy: { field: KEY, direction: ASC }) { nodes { id key value } }
  }
`);

function GroupPanel(): ReactNode {
  return (
    <RecordPanel
      fragment={RECORD}
      follows={['PARAMETER', 'METACONTENT', 'APP_VERSION']}
      edit={{ fields: ['name'], document: mutations.groupUpdate }}
      remove={mutations.groupDelete}
      actions={(group) => <RowMenu actions={[SEND_TO_GROUP]} row={group} isMenu />}
      tabs={(group) => ({
        logicalNumbers: <GroupNumbers groupId={group.id} />,
        appVersions: <GroupVersions group={group} />,
        parameters: <Parameters group={group} />,
        metacontents: <Values rows={group.metacontents.nodes} page="/metacontents" />,
      })}
    />
  );
}

function Parameters({ group }: { readonly group: GroupRecordFragment }): ReactNode {
  return (
    <>
      <div className="buttons">
        <DialogButton {...creating(useNewParameter({ groupId: group.id }))} />
      </div>
      <Values rows={group.parameters.nodes} page="/parameters" />
    </>
  );
}

interface ValuesProps {
  readonly rows: readonly { readonly id: string; readonly key: string; readonly value: unknown }[];
  readonly page: string;
}

function Values(props: ValuesProps): ReactNode {
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <SmallTable
      {...props}
      hasTitles={false}
      columns={[
        { id: 'key', page: props.page },
        { id: 'value', render: ({ value }) => textOf(value) },
      ]}
    />
  );
}

/** The logical numbers of a group with their devices; others are moved into it by their number. */
function GroupNumbers({ groupId }: { readonly groupId: string }): ReactNode {
  const text = useText();
  const navigate = useNavigate();
  const move = creating({
    title: text.addNumber,
    root: null,
    fields: [{ name: 'id', label: text.logicalNumber, find: findLogicalNumbers, autoFocus: true }],
    document: mutations.logicalNumberMove,
    args: { groupId },
    submit: text.addNumber,
  });
  return (
    <>
      <CompactList
        id="group-numbers"
        label={text.logicalNumbers}
        text={useNumberText()}
        source={SOURCE}
        fixedFilter={{ groupId: { eq: groupId } }}
        onOpen={({ id: open }) => void navigate({ to: '/logical-numbers', search: { open } })}
        columns={COLUMNS.filter((id) => id !== 'group')}
        filters={['number']}
        actions={<DialogButton {...move} />}
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
  const { id, revision: ifMatch } = group;
  const defaults = wholeIds(group.defaultAppVersions);
  const setDefault = (versionId: string, isDefault: boolean): void => {
    if (!defaults) return;
    const others = defaults.filter((each) => each !== versionId);
    void setDefaults.run({ id, ifMatch, appVersionIds: isDefault ? [...others, versionId] : others });
  };
  return (
    <LinkList
      list={group.appVersions}
      page="/app-versions"
      add={text.attach}
      find={findAppVersions}
      onAdd={(versionId) => void attach.run({ id, appVersionIds: [versionId] })}
      onRemove={(versionId) => void detach.run({ id, appVersionIds: [versionId] })}
      problem={attach.problem ?? detach.problem ?? setDefaults.problem}
      cell={(row) => (
        <Checkbox
          isSelected={group.defaultAppVersions.nodes.some(({ id: each }) => each === row.id)}
          disabledReason={mayWrite ? (defaults ? null : text.tooLong) : text.notAllowed}
          onChange={(isDefault) => setDefault(row.id, isDefault)}
        >
          {text.getsNew}
        </Checkbox>
      )}
    />
  );
}
