import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, noteChange, useQuery, useSubscription } from '../../api';
import { DialogButton } from '../../record/dialog-button';
import { EditRecord } from '../../record/fields';
import { RecordLink, RecordLinks } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { useFormat } from '../../text/format';
import { Facts, Section, Time } from '../../ui/facts';
import { ReleaseDialog } from './release-dialog';
import { VersionFiles, VersionModules, type Version } from './version-links';
import { useText } from './words';

const VERSION = graphql(`
  query AppVersionRecord($id: ID!) {
    appVersion(id: $id) {
      id
      revision
      number
      size
      crc
      sha256
      displayable
      posDisplayLabel
      createdAt
      app { id name }
      reach { granted downloaded current }
      groups(first: 100) { nodes { id name } }
      files(first: 100) { nodes { id name size } }
      modules(first: 100) {
        nodes {
          id
          number
          app { name }
        }
      }
    }
  }
`);

const DOWNLOADED = graphql(`
  subscription Downloaded {
    transactionRecorded(filter: { transactionType: { eq: GET_ASSET } }) { sequence }
  }
`);

const UPDATE = graphql(`
  mutation AppVersionEdit($id: ID!, $ifMatch: Int, $input: AppVersionUpdateInput!) {
    appVersionUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      appVersion {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation AppVersionDelete($id: ID!, $ifMatch: Int, $force: Boolean) {
    appVersionDelete(id: $id, ifMatch: $ifMatch, force: $force) {
      userErrors { code message path rule params }
    }
  }
`);

export default function VersionPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(VERSION, { id }, ['APP_VERSION', 'GROUP', 'LOGICAL_NUMBER', 'FILE', 'DEVICE']);
  useSubscription(DOWNLOADED, {}, () => noteChange('APP_VERSION'));
  return (
    <RecordPanel
      query={query}
      record={({ appVersion }) => appVersion}
      title={({ app, number }) => `${app.name} ${number}`}
      actions={(version) => (
        <DialogButton
          label={text.release}
          icon="up"
          look="primary"
          dialog={(close) => <ReleaseDialog version={version} onClose={close} />}
        />
      )}
      remove={{ document: DELETE, changes: 'APP_VERSION' }}
      edit={(version, close) => (
        <EditRecord
          record={version}
          present={{
            number: version.number,
            posDisplayLabel: version.posDisplayLabel ?? '',
            displayable: version.displayable,
          }}
          fields={[
            { name: 'number', label: text.number },
            { name: 'posDisplayLabel', label: text.label },
            { name: 'displayable', label: text.displayable, isFlag: true },
          ]}
          document={UPDATE}
          changes={['APP_VERSION']}
          input={({ posDisplayLabel, ...rest }) => ({ ...rest, posDisplayLabel: posDisplayLabel || null })}
          onClose={close}
        />
      )}
      history="APP_VERSION"
      onClose={onClose}
      tabs={(version) => [
        {
          id: 'reach',
          title: text.reach,
          content: (
            <>
              <Reach version={version} />
              <Section title={text.groups}>
                {version.groups.nodes.length === 0 && <p className="faint">{text.noGroups}</p>}
                <RecordLinks page="/groups" records={version.groups.nodes} />
              </Section>
            </>
          ),
        },
        { id: 'files', title: text.files, content: <VersionFiles version={version} /> },
        { id: 'modules', title: text.modules, content: <VersionModules version={version} /> },
        { id: 'facts', title: text.facts, content: <VersionFacts version={version} /> },
      ]}
    />
  );
}

/** How far a release has come: each number leads to its terminals. */
function Reach({ version: { id, reach } }: { readonly version: Version }): ReactNode {
  const text = useText();
  const format = useFormat();
  const rows = [
    [text.granted, reach.granted],
    [text.downloaded, reach.downloaded],
    [text.current, reach.current],
  ] as const;
  return (
    <Section title={text.reach}>
      <table className="plain-table bars">
        <tbody>
          {rows.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="bar">
                <meter value={count} max={Math.max(reach.granted, 1)} aria-hidden="true" />
              </td>
              <td className="end">{format.number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="faint">
        {text.reachHelp}{' '}
        <Link to="/devices" search={{ filter: { version: { eq: id } } }}>
          {text.current}
        </Link>
      </p>
    </Section>
  );
}

function VersionFacts({ version }: { readonly version: Version }): ReactNode {
  const text = useText();
  const format = useFormat();
  return (
    <Facts
      facts={[
        { name: text.app, value: <RecordLink page="/apps" record={version.app} /> },
        { name: text.size, value: format.bytes(version.size) },
        { name: 'CRC', value: <code>{version.crc}</code> },
        { name: 'SHA-256', value: <code>{version.sha256}</code> },
        { name: text.label, value: version.posDisplayLabel },
        { name: text.created, value: <Time at={version.createdAt} /> },
      ]}
    />
  );
}
