// Recollect in opencode. Reports events to our hook and adds the context it returns to the conversation.
// If the hook is missing, slow or broken, nothing changes. `recollect init` replaces the command below.
const HOOK = ["env", "PYTHONPATH=", "recollect-hook", "opencode"]
const DEADLINE_MS = 5000
const WRITING_TOOLS = new Set(["write", "edit", "multiedit", "patch", "apply_patch", "bash"])

export const Recollect = async ({ $, directory }) => {
  const starts = new Map() // how a session starts at its next prompt, if known
  const greeted = new Set()
  const owners = new Map() // subagent session -> the session it works for
  const compacting = new Set()
  const lastSaid = new Map()
  const argsOfCall = new Map()
  const owner = (session) => owners.get(session) ?? session

  const ask = async (event, session, fields = {}) => {
    let timer
    try {
      const payload = JSON.stringify({ session_id: session, cwd: directory, hook_event_name: event, ...fields })
      const late = new Promise((done) => (timer = setTimeout(done, DEADLINE_MS, "")))
      const answer = $`${HOOK} ${event} < ${new Response(payload)}`.quiet().nothrow().text()
      return JSON.parse((await Promise.race([answer, late])).trim() || "{}") ?? {}
    } catch {
      return {}
    } finally {
      clearTimeout(timer)
    }
  }

  const quietly = (hook) => async (input, output) => {
    try {
      await hook(input, output)
    } catch {}
  }

  return {
    event: quietly(async ({ event }) => {
      const { info, sessionID } = event.properties ?? {}
      const session = sessionID ?? info?.id
      if (event.type === "session.created" && info?.parentID) owners.set(session, owner(info.parentID))
      if (owners.has(session)) return
      if (event.type === "session.created") starts.set(session, "startup")
      if (event.type === "session.compacted") {
        compacting.delete(session)
        starts.set(session, "compact")
      }
      if (event.type === "session.idle")
        await ask("session.idle", session, { last_assistant_message: lastSaid.get(session) ?? "" })
      if (event.type === "session.deleted") await ask("session.deleted", session)
    }),

    "chat.message": quietly(async (input, output) => {
      const session = input.sessionID
      const replies = []
      compacting.delete(session) // a failed compaction is over
      const source = starts.get(session) ?? (greeted.has(session) ? "" : "resume")
      if (source && !owners.has(session)) {
        starts.delete(session)
        greeted.add(session)
        replies.push(await ask("session.created", session, { source }))
      }
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const recorded = owners.has(session) ? "" : session // a subagent has no session of its own
      replies.push(await ask("chat.message", recorded, { prompt: typed.map((part) => part.text).join("\n") }))
      const text = replies.map((reply) => reply.context).filter(Boolean).join("\n")
      if (!text) return
      const messageID = output.message.id
      const id = `prt_recollect_${messageID}`
      output.parts.push({ id, sessionID: session, messageID, type: "text", text, synthetic: true })
    }),

    "tool.execute.before": async (input, output) => {
      const tool_input = output?.args ?? {}
      if (WRITING_TOOLS.has(input.tool)) {
        const fields = { tool_name: input.tool, tool_input }
        const { deny } = await ask("tool.execute.before", owner(input.sessionID), fields)
        if (deny) throw new Error(deny)
      }
      if (argsOfCall.size > 64) argsOfCall.clear() // failed calls get no event after them
      argsOfCall.set(input.callID, tool_input)
    },

    "tool.execute.after": quietly(async (input, output) => {
      const tool_input = input.args ?? argsOfCall.get(input.callID) ?? {}
      argsOfCall.delete(input.callID)
      const text = output.output ?? output.content ?? ""
      const exit = output.metadata?.exit // the hook reads the exit code from the output
      const tool_response = exit ? `Exit code ${exit}\n${text}` : text
      await ask("tool.execute.after", owner(input.sessionID), { tool_name: input.tool, tool_input, tool_response })
    }),

    "experimental.text.complete": quietly(async (input, output) => {
      // The text of a compaction is not an answer.
      if (!compacting.has(input.sessionID)) lastSaid.set(input.sessionID, output.text)
    }),

    "experimental.session.compacting": quietly(async (input) => {
      compacting.add(input.sessionID)
      await ask("experimental.session.compacting", owner(input.sessionID))
    }),
  }
}
