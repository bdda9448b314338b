import { useState, type ReactNode } from 'react';

import { useDryRun } from '../../api/dry-run';
import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { query } from '../../api/query';
import { Fields } from '../../record/fields';
import { findGroups } from '../../record/find';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Dialog } from '../../ui/dialog';
import { Form } from '../../ui/form';
import type { Reference } from '../../ui/reference-input';
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

const BEGIN = { to: 'group', group: null as Reference | null, isToNew: true, isReplacing: true };

interface ReleaseDialogProps {
  readonly version: Version;
  readonly onClose: () => void;
}

/** Gives a version to a group or to all, once the person has seen to how many numbers it goes. */
export function ReleaseDialog({ version, onClose }: ReleaseDialogProps): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const [values, setValues] = useState(BEGIN);
  const grant = useMutation(GRANT, ['APP_VERSION', 'LOGICAL_NUMBER']);
  const toNew = useGiveToNew(version);
  const groupId = values.to === 'group' ? values.group?.id : undefined;
  const target = values.to === 'all' ? { all: true } : groupId !== undefined && { groupId };
  const ids = [version.id];
  const mode = values.isReplacing ? ('REPLACE_OF_SAME_APP' as const) : ('ADD' as const);
  const reached = useDryRun(GRANT, target ? { ids, mode, target, dryRun: true } : null);
  const submit = async (): Promise<void> => {
    if (!target || !reached) return;
    const expectCount = reached.count ?? 0;
    const payload = await grant.run({ ids, mode, target, dryRun: false, expectCount });
    if (!payload) return;
    const isToNew = values.isToNew && groupId !== undefined;
    if (isToNew && !(await toNew.run(groupId))) return;
    notify({ text: text.released(format.number(payload.count ?? 0)) });
    onClose();
  };
  const isToGroup = (): boolean => values.to === 'group';
  const errors = [...grant.errors, ...toNew.errors];
  const examples = reached?.examples?.slice(0, 5).map(({ number }) => number) ?? [];
  return (
    <Dialog title={text.releaseTitle(`${version.app.name} ${version.number}`)} isOpen onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={text.release}
        isRunning={grant.isRunning || toNew.isRunning}
        isDisabled={reached === null}
        failure={grant.failure ?? toNew.failure}
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
            {text.releaseCount(format.number(reached.count ?? 0))}
            {examples.length > 0 && `, ${text.examples(examples.join(', '))}`}
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
