import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useQuery } from '../../api/query';
import type { DeviceManifestQuery } from '../../gql/graphql';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Section } from '../../ui/facts';
import { Empty, Loading, PageFailure } from '../../ui/states';
import { EffectiveParameters } from '../logical-numbers/effective-parameters';
import { words } from './words';

const MANIFEST = graphql(`
  query DeviceManifest($id: ID!) {
    device(id: $id) {
      id
      logicalNumber {
        id
        group { id name }
        effectiveParameters {
          key
          value
          description
          source
          overridden { id value }
        }
      }
      manifest {
        apps {
          name
          version
          label
          type
          size
          modules { name version size }
        }
        files { name size }
        omissions { kind name reason }
      }
    }
  }
`);

type Manifest = NonNullable<NonNullable<DeviceManifestQuery['device']>['manifest']>;

/** Apps, files and parameters that the terminal gets, each with what it comes from, and what is left out. */
export function DeviceManifest({ id }: { readonly id: string }): ReactNode {
  const text = useTexts(words);
  const { data, error, reload } = useQuery(MANIFEST, { id }, [
    'DEVICE',
    'LOGICAL_NUMBER',
    'GROUP',
    'APP_VERSION',
    'APP',
    'FILE',
    'PARAMETER',
  ]);
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!data?.device) return <Loading />;
  const { manifest, logicalNumber } = data.device;
  if (!manifest || !logicalNumber) return <Empty>{text.noManifest}</Empty>;
  return (
    <>
      {manifest.omissions.length > 0 && <Omissions omissions={manifest.omissions} />}
      <Section title={text.apps}>
        <Apps apps={manifest.apps} />
      </Section>
      <Section title={text.files}>
        <Files files={manifest.files} />
      </Section>
      <Section title={text.parameters}>
        <EffectiveParameters logicalNumber={logicalNumber} />
      </Section>
    </>
  );
}

function Apps({ apps }: Pick<Manifest, 'apps'>): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  if (apps.length === 0) return <Empty>{text.noApps}</Empty>;
  return (
    <table className="plain-table">
      <tbody>
        {apps.map(({ name, version, label, size, modules }) => (
          <tr key={name}>
            <th scope="row">
              {name} {version}
              {modules.length > 0 && (
                <small>{modules.map((module) => `${module.name} ${module.version}`).join(', ')}</small>
              )}
            </th>
            <td>{label}</td>
            <td className="end">{format.bytes(size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Files({ files }: Pick<Manifest, 'files'>): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  if (files.length === 0) return <Empty>{text.noFiles}</Empty>;
  return (
    <table className="plain-table">
      <tbody>
        {files.map(({ name, size }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="end">{format.bytes(size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Omissions({ omissions }: Pick<Manifest, 'omissions'>): ReactNode {
  const text = useTexts(words);
  return (
    <div className="note note-warning">
      <div>
        <strong>{text.omitted}</strong>
        <ul>
          {omissions.map(({ kind, name, reason }) => (
            <li key={`${kind} ${name}`}>
              {text[kind]} {name}: {text[reason]}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
