import * as g from '../../../graphql/index.js';
import { auditedType } from '../../people/user/user.graphql.js';
import type { Job, JobRejection, JobState } from './job.model.js';
import { cancelJob, getJob, jobNewRows, jobs, rejectionList, rejectionsOfJob } from './job.service.js';

const State = g.enumeration<JobState>('JobState', 'State of a job.', {
  waiting: 'No row is done yet: jobs of a company run one after the other.',
  running: 'Some rows are done.',
  done: 'All rows are done. Some may be refused.',
  cancelled: 'It was cancelled. Rows that were done by then stay as they are.',
  failed: 'It has ended early: see `failure`. Rows that were done by then stay as they are.',
});

export const JobType = auditedType<Job, 'input' | 'origin' | 'sequence'>(
  'Job',
  'A change of many records that runs in the background, in parts: other changes go on meanwhile. It goes on after a crash of the server, and no row is done twice.',
  {
    kind: g.text('What it does, for example deviceBulkChange.'),
    state: g.choice(State, 'What has become of it.'),
    total: g.int('Number of its rows.'),
    done: g.int('Rows that were changed, or were as wanted already.'),
    rejected: g.int('Rows that were refused, and changed nothing: see `rejections`.'),
    failure: g.text.orNull('Why it has failed. Null in other states.'),
    endedAt: g.instant.orNull('When it has ended. Null until then. It is deleted 90 days later.'),
  },
);

const JobList = g.listTypes(jobs, JobType, { state: State });

const RejectionType = g.nodeType<JobRejection, 'jobId' | 'code' | 'rule' | 'params'>(
  'JobRejection',
  'A row of a job that was refused, and changed nothing.',
  {
    rowNumber: g.int(
      'Line of the row in the file, from 1. The targets of a bulk change are counted from 0, by ascending id.',
    ),
    name: g.text('Serial number of its device, or its logical number, also if that was deleted meanwhile.'),
    message: g.text('Why it was refused.'),
  },
);

const RejectionList = g.listTypes(rejectionList, RejectionType);

export const jobGraphql = g.graphqlModule(
  g.queries(JobList),
  g.nodesOf(rejectionList),
  g.recordMutations(JobList, {
    get: getJob,
    changes: {
      jobCancel: {
        description: 'Cancels the rows of a job that are not done yet. No change if it has ended.',
        run: cancelJob,
      },
    },
  }),
  g.changes(JobList, jobNewRows, getJob),
  g.fields(RejectionType, g.refusalFields),
  g.fields(JobType, {
    rejections: g.many(RejectionList, rejectionsOfJob, 'Rows that were refused, in the order of the rows.'),
  }),
);
