package import Transport

/// How far a request has come.
///
/// The jobs may run on any thread; their outcomes go to `resume`, on the thread that uses the database, and that gives
/// the next step.
package enum Step {
    case answer(HTTPResponse)
    /// A password must be hashed first.
    case hash(PasswordJob, resume: (PasswordJob.Outcome) throws(TransportError) -> Step)
    /// Another server must be asked first.
    case fetch(FetchJob, resume: (FetchJob.Outcome) throws(TransportError) -> Step)
}
