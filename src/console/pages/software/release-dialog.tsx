import { useEffect, useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { query } from '../../api/query';
import { findGroups } from '../../record/find';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Dialog } from '../../ui/dialog';
import { Checkbox, Choice } from '../../ui/field';
import { errorAt, Form } from '../../ui/form';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { SET_DEFAULTS } from '../groups/set-defaults';
import type { Version } from './version-links';
import { words } from './words';

const GRANT = graphql(`
  mutation AppVersionGrant(
    $ids: [ID!]!, $mode: AppVersionGrantMode!, $target: AppVersionGrantTargetInput!, $dryRun: Boolean!, $expectCount: Int
  ) {
    appVersionGrant(appVersionIds: $ids, mode: $mode, target: $target, dryRun: $dryRun, expectCount: $expectCount) {
      count
      examples { number }
      userErrors { code message path rule params }
    }
  }
`);

const ATTACH = graphql(`
  mutation GroupAttachAppVersions($id: ID!, $ids: [ID!]!) {
    groupAttachAppVersions(id: $id, appVersionIds: $ids) {
      userErrors { code message path rule params }
    }
  }
`);

const DEFAULTS = graphql(`
  query GroupDefaults($id: ID!) {
    group(id: $id) {
      defaultAppVersions(first: 100) {
        nodes {
          id
          app { id }
        }
      }
    }
  }
`);

interface Reached {
  readonly count: number;
  readonly examples: readonly string[];
}

/** Gives a version to a group or to all, once the person has seen to how many numbers it goes. */
export function ReleaseDialog({
  version,
  onClose,
}: {
  readonly version: Version;
  readonly onClose: () => void;
}): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const [to, setTo] = useState<'group' | 'all'>('group');
  const [group, setGroup] = useState<Reference | null>(null);
  const [isReplacing, setReplacing] = useState(true);
  const [isAttaching, setAttaching] = useState(true);
  const grant = useMutation(GRANT, ['APP_VERSION', 'LOGICAL_NUMBER']);
  const toNew = useGiveToNew(version);
  const groupId = to === 'group' ? (group?.id ?? null) : 'all';
  const ids = [version.id];
  const mode = isReplacing ? 'REPLACE_OF_SAME_APP' : 'ADD';
  const reached = useReached(version.id, mode, groupId);
  const submit = async (): Promise<void> => {
    if (groupId === null || reached === null) return;
    const target = targetOf(groupId);
    const payload = await grant.run({ ids, mode, target, dryRun: false, expectCount: reached.count });
    if (!payload) return;
    if (to === 'group' && isAttaching && !(await toNew.run(groupId))) return;
    notify({ text: text.released(format.number(payload.count ?? 0)) });
    onClose();
  };
  return (
    <Dialog title={text.releaseTitle(`${version.app.name} ${version.number}`)} isOpen onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={text.release}
        isRunning={grant.isRunning || toNew.isRunning}
        isDisabled={reached === null}
        failure={grant.failure ?? toNew.failure}
        errors={[...grant.errors, ...toNew.errors]}
        shown={['target.groupId']}
      >
        <Choice
          label={text.target}
          options={[
            { value: 'group', label: text.group },
            { value: 'all', label: text.all },
          ]}
          value={to}
          onChange={setTo}
        />
        {to === 'group' && (
          <>
            <ReferenceInput
              label={text.group}
              value={group}
              onChange={setGroup}
              find={findGroups}
              error={errorAt(grant.errors, 'target', 'groupId')}
            />
            <Checkbox isSelected={isAttaching} onChange={setAttaching}>
              {text.attach}
            </Checkbox>
          </>
        )}
        <Checkbox isSelected={isReplacing} onChange={setReplacing}>
          {text.replace}
        </Checkbox>
        {reached && (
          <p role="status">
            {text.releaseCount(format.number(reached.count))}
            {reached.examples.length > 0 && `, ${text.examples(reached.examples.slice(0, 5).join(', '))}`}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

/** Attaches the version to a group, and gives it to numbers that come into it in place of others of its app. */
function useGiveToNew(version: Version): Pick<
  ReturnType<typeof useMutation>,
  'failure' | 'errors' | 'isRunning'
> & {
  readonly run: (groupId: string) => Promise<boolean>;
} {
  const attach = useMutation(ATTACH, ['GROUP', 'APP_VERSION']);
  const setDefaults = useMutation(SET_DEFAULTS, ['GROUP']);
  const run = async (id: string): Promise<boolean> => {
    if (!(await attach.run({ id, ids: [version.id] }))) return false;
    const { group } = await query(DEFAULTS, { id });
    const others = group?.defaultAppVersions.nodes.filter(({ app }) => app.id !== version.app.id) ?? [];
    const appVersionIds = [...others.map((each) => each.id), version.id];
    return (await setDefaults.run({ id, appVersionIds })) !== null;
  };
  return {
    run,
    failure: attach.failure ?? setDefaults.failure,
    errors: [...attach.errors, ...setDefaults.errors],
    isRunning: attach.isRunning || setDefaults.isRunning,
  };
}

const targetOf = (groupId: string): { groupId: string } | { all: true } =>
  groupId === 'all' ? { all: true } : { groupId };

/** How many numbers would get it, and examples; null while that is not known. */
function useReached(
  versionId: string,
  mode: 'ADD' | 'REPLACE_OF_SAME_APP',
  groupId: string | null,
): Reached | null {
  const { run } = useMutation(GRANT);
  const [reached, setReached] = useState<Reached | null>(null);
  useEffect(() => {
    setReached(null);
    if (groupId === null) return undefined;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const payload = await run({ ids: [versionId], mode, target: targetOf(groupId), dryRun: true });
      if (!isOver && payload) {
        const examples = payload.examples?.map(({ number }) => number) ?? [];
        setReached({ count: payload.count ?? 0, examples });
      }
    };
    void ask();
    return () => {
      isOver = true;
    };
  }, [run, versionId, mode, groupId]);
  return reached;
}
