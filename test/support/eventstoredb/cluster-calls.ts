/** ServerFeatures and Gossip: what a client asks before anything else. Source: ServerFeatures.cs and Gossip.Read.cs. */
import { randomUUID } from 'node:crypto';
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { CallContext } from './call-context.ts';
import { answerWith } from './faulty-answer.ts';
import type { Endpoint } from './rpc-errors.ts';

export interface Member extends Endpoint {
  readonly state: 'leader' | 'follower' | 'unknown';
  readonly isAlive: boolean;
}

/** Of the methods that 23.10 lists, those that this double serves, with the features it lists them with. */
const SUPPORTED_METHODS: readonly (readonly [service: string, method: string, ...features: string[]])[] = [
  ['event_store.client.streams.streams', 'read', 'position', 'events'],
  ['event_store.client.streams.streams', 'append'],
  ['event_store.client.streams.streams', 'batchappend', 'deadline_duration'],
  ['event_store.client.streams.streams', 'delete'],
  ['event_store.client.streams.streams', 'tombstone'],
  ['event_store.client.gossip.gossip', 'read'],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods'],
];

export function handleSupportedMethods(
  context: CallContext,
  version: string,
  call: ServerUnaryCall<sharedPb.Empty, featuresPb.SupportedMethods>,
  callback: sendUnaryData<featuresPb.SupportedMethods>,
): void {
  context.countCall('supportedMethods');
  answerWith(context.faults.meetAnswer('supportedMethods'), {
    effect: () => supportedMethods(version),
    answer: (methods) => callback(null, methods),
    fail: (error) => callback(error),
    cut: () => context.cut(call.getPeer()),
    later: context.later,
  });
}

export function handleGossip(
  context: CallContext,
  members: () => readonly Member[],
  call: ServerUnaryCall<sharedPb.Empty, gossipPb.ClusterInfo>,
  callback: sendUnaryData<gossipPb.ClusterInfo>,
): void {
  context.countCall('gossip');
  answerWith(context.faults.meetAnswer('gossip'), {
    effect: () => new gossipPb.ClusterInfo().setMembersList(members().map(memberInfo)),
    answer: (info) => callback(null, info),
    fail: (error) => callback(error),
    cut: () => context.cut(call.getPeer()),
    later: context.later,
  });
}

function supportedMethods(version: string): featuresPb.SupportedMethods {
  const methods = SUPPORTED_METHODS.map(([service, method, ...features]) =>
    new featuresPb.SupportedMethod().setServiceName(service).setMethodName(method).setFeaturesList(features),
  );
  return new featuresPb.SupportedMethods().setEventStoreServerVersion(version).setMethodsList(methods);
}

const STATES = {
  leader: gossipPb.MemberInfo.VNodeState.LEADER,
  follower: gossipPb.MemberInfo.VNodeState.FOLLOWER,
  unknown: gossipPb.MemberInfo.VNodeState.UNKNOWN,
} as const;

function memberInfo({ host, port, state, isAlive }: Member): gossipPb.MemberInfo {
  return new gossipPb.MemberInfo()
    .setInstanceId(new sharedPb.UUID().setString(randomUUID()))
    .setTimeStamp(String(Date.now()))
    .setState(STATES[state])
    .setIsAlive(isAlive)
    .setHttpEndPoint(new gossipPb.EndPoint().setAddress(host).setPort(port));
}
