import { useEffect, useState, type ReactNode } from 'react';

import { graphql, query, useMutation } from '../../api';
import { Fields } from '../../record/fields';
import { findGroups } from '../../record/find';
import { useFormat } from '../../text/format';
import { Dialog } from '../../ui/dialog';
import { Form } from '../../ui/form';
import type { Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { SET_DEFAULTS } from '../groups/set-defaults';
import type { Version } from './version-links';
import { useText } from './words';

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

const GROUP = graphql(`
  query ReleaseGroup($id: ID!) {
    group(id: $id) {
      logicalNumbers(first: 5) {
        totalCount
        nodes { number }
      }
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
  /** Versions that new numbers of the group get of other apps. */
  readonly others: readonly string[];
}

const BEGIN = { to: 'group', group: null as Reference | null, isToNew: true, isReplacing: true };

interface ReleaseDialogProps {
  readonly version: Version;
  readonly onClose: () => void;
}

/** Gives a version to a group or to all, once the person has seen to how many numbers it goes. */
export function ReleaseDialog({ version, onClose }: ReleaseDialogProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const [values, setValues] = useState(BEGIN);
  const release = useRelease(version);
  const groupId = values.to === 'group' ? (values.group?.id ?? null) : 'all';
  const mode = values.isReplacing ? 'REPLACE_OF_SAME_APP' : 'ADD';
  const { reached, probe } = useReached(version, mode, groupId);
  const submit = async (): Promise<void> => {
    if (groupId === null || reached === null) return;
    const count = await release.run(groupId, mode, reached, values.isToNew);
    if (count === null) return;
    notify({ text: text.released(format.number(count)) });
    onClose();
  };
  const isToGroup = (): boolean => values.to === 'group';
  const errors = [...release.errors, ...(reached ? [] : probe.errors)];
  return (
    <Dialog title={text.releaseTitle(`${version.app.name} ${version.number}`)} isOpen onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={text.release}
        isRunning={release.isRunning}
        isDisabled={reached === null}
        failure={release.failure ?? probe.failure}
        errors={errors}
        shown={['target.groupId']}
      >
        <Fields
          root="target"
          values={values}
          set={(changed) => setValues({ ...values, ...changed })}
          errors={errors}
          fields={[
            {
              name: 'to',
              label: text.target,
              options: [
                { value: 'group', label: text.group },
                { value: 'all', label: text.all },
              ],
            },
            { name: 'group', label: text.group, find: findGroups, argument: 'groupId', isShown: isToGroup },
            { name: 'isToNew', label: text.attach, isFlag: true, isShown: isToGroup },
            { name: 'isReplacing', label: text.replace, isFlag: true },
          ]}
        />
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

type Mode = 'ADD' | 'REPLACE_OF_SAME_APP';

/** Attaches a version to a group and gives it to its numbers, and to those that come. `run` resolves to how many got it. */
function useRelease({ id }: Version) {
  const grant = useMutation(GRANT, ['APP_VERSION', 'LOGICAL_NUMBER']);
  const attach = useMutation(ATTACH, ['GROUP', 'APP_VERSION']);
  const setDefaults = useMutation(SET_DEFAULTS, ['GROUP']);
  const all = [attach, grant, setDefaults];
  const run = async (to: string, mode: Mode, { count, others }: Reached, isForNew: boolean) => {
    const ids = [id];
    const isGroup = to !== 'all';
    if (isGroup && !(await attach.run({ id: to, ids }))) return null;
    const given = await grant.run({ ids, mode, target: targetOf(to), dryRun: false, expectCount: count });
    if (!given) return null;
    const appVersionIds = [...others, id];
    if (isGroup && isForNew && !(await setDefaults.run({ id: to, appVersionIds }))) return null;
    return given.count ?? 0;
  };
  return {
    run,
    errors: all.flatMap(({ errors }) => errors),
    failure: all.map(({ failure }) => failure).find((each) => each !== null) ?? null,
    isRunning: all.some(({ isRunning }) => isRunning),
  };
}

const targetOf = (groupId: string): { groupId: string } | { all: true } =>
  groupId === 'all' ? { all: true } : { groupId };

/** How many numbers would get it, and examples; null while that is not known. `probe` has why it cannot be. */
function useReached({ id: versionId, app }: Version, mode: Mode, groupId: string | null) {
  const probe = useMutation(GRANT);
  const { run, reset } = probe;
  const [reached, setReached] = useState<Reached | null>(null);
  const appId = app.id;
  useEffect(() => {
    setReached(null);
    reset();
    if (groupId === null) return undefined;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const ids = [versionId];
      const group = groupId === 'all' ? null : (await query(GROUP, { id: groupId })).group;
      const payload = await run({ ids, mode, target: targetOf(groupId), dryRun: true });
      // A version that is not attached to the group yet is new to all of its numbers.
      const numbers = payload?.examples ?? group?.logicalNumbers.nodes;
      const count = payload?.count ?? group?.logicalNumbers.totalCount;
      if (isOver || !numbers || count === undefined) return;
      const others = group?.defaultAppVersions.nodes.filter((each) => each.app.id !== appId) ?? [];
      const examples = numbers.map(({ number }) => number);
      setReached({ count, examples, others: others.map(({ id }) => id) });
    };
    void ask().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [run, reset, versionId, appId, mode, groupId]);
  return { reached, probe };
}
