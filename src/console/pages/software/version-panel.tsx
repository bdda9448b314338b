import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useQuery } from '../../api/query';
import { useMay } from '../../app/session';
import { EditFields } from '../../record/fields';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Facts, Section, Time } from '../../ui/facts';
import { ReleaseDialog } from './release-dialog';
import { VersionFiles, VersionModules, type Version } from './version-links';
import { words } from './words';

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
      createdBy { name }
      app { id name }
      reach { granted downloaded current }
      groups(first: 100) {
        nodes { id name }
      }
      files(first: 100) {
        nodes { id name size }
      }
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

const UPDATE = graphql(`
  mutation AppVersionEdit($id: ID!, $ifMatch: Int, $input: AppVersionUpdateInput!) {
    appVersionUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      appVersion {
        id
        history(first: 1) {
          nodes { sequence }
        }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation AppVersionDelete($id: ID!, $ifMatch: Int, $force: Boolean) {
    appVersionDelete(id: $id, ifMatch: $ifMatch, force: $force) {
      deletedId
      userErrors { code message path rule params }
    }
  }
`);

export function VersionPanel({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isReleasing, setReleasing] = useState(false);
  const query = useQuery(VERSION, { id }, ['APP_VERSION', 'GROUP', 'LOGICAL_NUMBER', 'FILE', 'DEVICE']);
  return (
    <RecordPanel
      query={query}
      record={({ appVersion }) => appVersion}
      title={({ app, number }) => `${app.name} ${number}`}
      actions={() =>
        mayWrite && (
          <Button look="primary" onPress={() => setReleasing(true)}>
            {text.release}
          </Button>
        )
      }
      remove={{ document: DELETE, changes: 'APP_VERSION' }}
      edit={(version, close) => <VersionForm version={version} onClose={close} />}
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
                <ul className="buttons">
                  {version.groups.nodes.map((group) => (
                    <li key={group.id}>
                      <Link to="/groups" search={{ open: group.id }}>
                        {group.name}
                      </Link>
                    </li>
                  ))}
                </ul>
              </Section>
            </>
          ),
        },
        { id: 'files', title: text.files, content: <VersionFiles version={version} /> },
        { id: 'modules', title: text.modules, content: <VersionModules version={version} /> },
        { id: 'facts', title: text.facts, content: <VersionFacts version={version} /> },
      ]}
    >
      {(version) => isReleasing && <ReleaseDialog version={version} onClose={() => setReleasing(false)} />}
    </RecordPanel>
  );
}

/** How far a release has come: each number leads to its terminals. */
function Reach({ version: { id, reach } }: { readonly version: Version }): ReactNode {
  const text = useTexts(words);
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
  const text = useTexts(words);
  const format = useFormat();
  return (
    <Facts
      facts={[
        {
          name: text.app,
          value: (
            <Link to="/apps" search={{ open: version.app.id }}>
              {version.app.name}
            </Link>
          ),
        },
        { name: text.size, value: format.bytes(version.size) },
        { name: 'CRC', value: <code>{version.crc}</code> },
        { name: 'SHA-256', value: <code>{version.sha256}</code> },
        { name: text.label, value: version.posDisplayLabel },
        { name: text.created, value: <Time at={version.createdAt} /> },
      ]}
    />
  );
}

function VersionForm({
  version,
  onClose,
}: {
  readonly version: Version;
  readonly onClose: () => void;
}): ReactNode {
  const text = useTexts(words);
  return (
    <EditFields
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
      mutation={useMutation(UPDATE, ['APP_VERSION'])}
      input={({ posDisplayLabel, ...rest }, ifMatch) => ({
        id: version.id,
        ifMatch,
        input: { ...rest, posDisplayLabel: posDisplayLabel || null },
      })}
      changed={(payload) => payload.appVersion}
      onClose={onClose}
    />
  );
}
