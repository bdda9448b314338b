import type { ReactNode } from 'react';

import { graphql, useRecord } from '../../api';
import { SmallTable } from '../../table/small-table';
import { Section } from '../../ui/facts';
import { Empty, Loading, PageFailure } from '../../ui/states';
import { EffectiveParameters } from '../logical-numbers/effective-parameters';
import { useText } from './words';

const MANIFEST = graphql(`
  fragment DeviceManifestRecord on Device {
    id
    logicalNumber {
      group { name }
      effectiveParameters { key value description source overridden { value } }
    }
    manifest {
      apps { name version label size modules { name version } }
      files { name size }
      omissions { kind name reason }
    }
  }
`);

const FOLLOWS = ['LOGICAL_NUMBER', 'GROUP', 'APP_VERSION', 'APP', 'FILE', 'PARAMETER'] as const;

/** Apps, files and parameters that the terminal gets, each with what it comes from, and what is left out. */
export function DeviceManifest({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  const { data, error, reload } = useRecord(MANIFEST, id, FOLLOWS);
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!data?.node) return <Loading />;
  const { manifest, logicalNumber } = data.node;
  if (!manifest || !logicalNumber) return <Empty>{text.noManifest}</Empty>;
  return (
    <>
      {manifest.omissions.length > 0 && (
        <div className="note note-warning">
          <div>
            <strong>{text.omitted}</strong>
            <ul>
              {manifest.omissions.map(({ kind, name, reason }) => (
                <li key={`${kind} ${name}`}>
                  {text[kind]} {name}: {text[reason]}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <Section title={text.apps}>
        <SmallTable
          rows={manifest.apps}
          rowKey={({ name }) => name}
          empty={text.noApps}
          hasTitles={false}
          columns={[
            {
              id: 'name',
              title: text.app,
              render: ({ name, version, modules }) => (
                <>
                  {name} {version}
                  <small>{modules.map((module) => ` ${module.name} ${module.version}`).join(',')}</small>
                </>
              ),
            },
            { id: 'label', title: text.label },
            { id: 'size', title: text.size, kind: 'bytes' },
          ]}
        />
      </Section>
      <Section title={text.files}>
        <SmallTable
          rows={manifest.files}
          rowKey={({ name }) => name}
          empty={text.noFiles}
          hasTitles={false}
          columns={[
            { id: 'name', title: text.file },
            { id: 'size', title: text.size, kind: 'bytes' },
          ]}
        />
      </Section>
      <Section title={text.parameters}>
        <EffectiveParameters logicalNumber={logicalNumber} />
      </Section>
    </>
  );
}
